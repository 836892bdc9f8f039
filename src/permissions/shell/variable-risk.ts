/** What an assignment can do to the commands after it. */

/** Variables that choose what is run, or how the shell reads the rest of the line. Never allowed. */
const RISKY = new Set(
  [
    "PATH HOME PWD OLDPWD SHELL ENV IFS CDPATH FPATH SHELLOPTS BASHOPTS GLOBIGNORE EXECIGNORE INPUTRC HISTFILE",
    "PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE TMPDIR POSIXLY_CORRECT REPLY OPTIND",
  ]
    .join(" ")
    .split(" "),
);
const RISKY_FAMILY =
  /^(?:LD|DYLD|BASH|GIT|SSH|NODE|PYTHON|PERL5?|RUBY|NPM_CONFIG|SIGNALBOX|SUDO)_|^(?:BASH|PYTHON|PERL5?|RUBY|NODE)[A-Z]*$|_(?:PAGER|EDITOR|ASKPASS|COMMAND|PRELOAD)$|^npm_config_/i;

/** Variables that only say how something is shown. An allow need not name them. */
const HARMLESS = new Set(
  [
    "CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE TZ TERM VERBOSE",
    "RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8",
    "PORT HOST DEBUG LOG_LEVEL CGO_ENABLED GOOS GOARCH CARGO_TERM_COLOR NODE_NO_WARNINGS GIT_TERMINAL_PROMPT",
    "GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_OPTIONAL_LOCKS CARGO_INCREMENTAL",
  ]
    .join(" ")
    .split(" "),
);
const HARMLESS_FAMILY = /^(?:LC|VITE|NEXT_PUBLIC|REACT_APP)_[A-Z]\w*$/;
/** A program that does nothing, folders below the one that it runs in, options that load nothing, plain names. */
const HARMLESS_VALUE = [
  /^(?:[A-Z]+_)?PAGER=(?:cat)?$/,
  /^(?:GIT_)?(?:SEQUENCE_)?EDITOR=(?:true|:)$/,
  /^PYTHONPATH=(?!.*\.\.)[\w.][\w./-]*(?::[\w.][\w./-]*)*$/,
  /^NODE_OPTIONS=(?: ?--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|experimental-vm-modules))+$/,
  /^(?:(?:RAILS|RACK|APP|MIX|FLASK)_ENV|DEBIAN_FRONTEND|AWS_(?:PROFILE|REGION))=[\w-]*$/,
  /^RUSTFLAGS=-D ?warnings$/,
];

export type VariableRisk = "harmless" | "risky" | "other";

export function variableRisk(name: string): VariableRisk {
  if (HARMLESS.has(name) || HARMLESS_FAMILY.test(name)) return "harmless";
  return RISKY.has(name) || RISKY_FAMILY.test(name) ? "risky" : "other";
}

/** The same for `NAME=value` of which the value is known. */
export function assignmentRisk(text: string): VariableRisk {
  return HARMLESS_VALUE.some((value) => value.test(text))
    ? "harmless"
    : variableRisk(assignedName(text) ?? "");
}

/** `NAME=value`, as `env` and `export` take it; the name may have an index or a plus. */
export function assignedName(word: string): string | null {
  return /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=/.exec(word)?.[1] ?? null;
}

/** A text that bash would run, or assign with, when a variable that holds it is used as a number or as an index. */
export function holdsSubstitution(text: string): boolean {
  return /\$\(|\$\{|`/.test(text);
}

export function holdsAssignment(text: string): boolean {
  // It begins only where a word does: from each of its letters, a long word would be read as often as it has letters.
  return [...text.matchAll(/(?<!\w)\d*([A-Za-z_]\w*)\s*[-+*/%&|^<>]*=/g)].some(
    (match) => variableRisk(match[1] ?? "") === "risky",
  );
}
