/** Takes secrets out of texts, before they reach a log or an error message. */

export type Redact = (text: string) => string;

const REDACTED = "[redacted]";

/** Shorter values of the environment are too common to be told from ordinary words. */
const VALUE_LENGTH_MIN = 8;
const VALUES_MAX = 200;

const SECRET_NAME =
  /token|secret|password|passwd|passphrase|credential|(?:api|access|private|auth)[_-]?key|(?:^|[_-])keys?(?:$|[_-])/i;

/** Each stands for itself as a whole; `$1`, where there is one, is kept. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(?:Bearer|Basic)(\s+)[\w.~+/-]{8,}=*/gi, `Bearer$1${REDACTED}`],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, REDACTED],
  [/\bsk[-_][\w-]{12,}/g, REDACTED],
  [/\bgh[pousr]_\w{16,}/g, REDACTED],
  [/\bgithub_pat_\w{16,}/g, REDACTED],
  [/\bglpat-[\w-]{16,}/g, REDACTED],
  [/\bnpm_\w{20,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
  [/\bxox[abeoprs]-[\w-]{10,}/g, REDACTED],
  [/(:\/\/)[^\s/:@]+:[^\s/@]+@/g, `$1${REDACTED}@`],
  [
    /((?:password|passwd|passphrase|\bpwd|\bpass(?==))["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s"'&,;]+)/gi,
    `$1${REDACTED}`,
  ],
  [
    /((?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*(?:=\s*|:\s*(?=["'])))(?:"[^"]*"|'[^']*'|[^\s"'&,;]+)/gi,
    `$1${REDACTED}`,
  ],
];

/** Whether a field or a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Knows the common forms of secrets, and the values of those variables whose names look secret. */
export function createRedact(...environments: readonly Variables[]): Redact {
  const values = valuePattern(environments);
  return (text) => {
    let rest = values === null ? text : text.replace(values, REDACTED);
    for (const [pattern, replacement] of PATTERNS) rest = rest.replace(pattern, replacement);
    return rest;
  };
}

function valuePattern(environments: readonly Variables[]): RegExp | null {
  const values = environments
    .flatMap((variables) => Object.entries(variables))
    .filter(([name]) => isSecretName(name))
    .flatMap(([, value]) => (value === undefined ? [] : [value.trim()]))
    .filter((value) => value.length >= VALUE_LENGTH_MIN)
    // The longest first: one secret may begin with another.
    .toSorted((a, b) => b.length - a.length)
    .slice(0, VALUES_MAX);
  if (values.length === 0) return null;
  return new RegExp(values.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
}
