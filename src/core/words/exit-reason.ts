/** Longer lines say something else. */
const LINE_LENGTH_MAX = 300;
const EXIT = /\bexit(?:ed with)? code:? (-?\d+)\b|\bended by (SIG[A-Z]+)\b/i;

/** How the command of a failed call ended, where it says so: in its error, or the first or the last line of its output. */
export function exitReason({
  error,
  output,
}: {
  readonly error: string | null;
  readonly output: string;
}): string {
  const text = output.trim();
  const ends = [error ?? "", text.slice(0, LINE_LENGTH_MAX).split("\n", 1)[0] ?? "", lastLine(text)];
  for (const end of ends) {
    const [, code, signal] = EXIT.exec(end) ?? [];
    if (code !== undefined) return `exit code ${code}`;
    if (signal !== undefined) return `ended by ${signal}`;
  }
  return "";
}

function lastLine(text: string): string {
  return text.slice(-LINE_LENGTH_MAX).split("\n").at(-1) ?? "";
}
