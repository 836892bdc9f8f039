/** The choices of a question, as agents write them below it: `1. red`, `  2) blue — calm`. */
export interface Choice {
  /** As it is shown. */
  readonly label: string;
  /** What is sent to choose it. */
  readonly reply: string;
}

export interface Choices {
  /** What stands around them. */
  readonly text: string;
  readonly items: readonly Choice[];
  readonly isMultiple: boolean;
}

const LINE = /^\s*(\d{1,2})[.)] (.+)$/;

/** None where they are not one plain list: several questions at once are answered in words. */
export function choicesIn(title: string, detail: string): Choices {
  const lines = detail.split("\n");
  const found = lines.flatMap((line) => {
    const match = LINE.exec(line);
    return match ? [{ number: Number(match[1]), label: (match[2] ?? "").trim() }] : [];
  });
  const isPlain = found.length > 0 && found.every(({ number }, index) => number === index + 1);
  if (!isPlain) return { text: detail.trim() === title.trim() ? "" : detail, items: [], isMultiple: false };
  const isMultiple = /\b(?:one or several|separated by commas)\b/i.test(detail);
  const rest = lines.filter(
    (line) => !LINE.test(line) && line.trim() !== title.trim() && !/^Choose one\b/.test(line),
  );
  const labels = found.map(({ label }) => nameOf(label));
  const items = found.map(({ number, label }) => ({ label, reply: replyFor(number, label, labels) }));
  return { text: rest.join("\n").trim(), items, isMultiple };
}

/** A number is understood by every agent, unless it is itself the name of another choice; a plain name reads better. */
function replyFor(number: number, label: string, labels: readonly string[]): string {
  const isPlainName = !/[,:\n]| — /.test(label);
  if (isPlainName || labels.includes(String(number))) return nameOf(label);
  return String(number);
}

function nameOf(label: string): string {
  return label.split(" — ")[0] ?? label;
}
