/** How much room a text takes in a terminal: some letters take two columns, some none. */

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\ufe00-\ufe0f]/u;
const PLAIN = /^[\x20-\x7e]*$/;

export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const letter of text) columns += columnsOfLetter(letter);
  return columns;
}

/** As much of its beginning as fits: whole letters, with what belongs to them. */
export function leading(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let [room, length] = [columns, 0];
  for (const letter of text) {
    room -= columnsOfLetter(letter);
    if (room < 0) break;
    length += letter.length;
  }
  return text.slice(0, length);
}

/** Filled up with spaces. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** One line as several: between letters, where every one counts, as in a command; between words, where they are read. */
export function brokenLine(line: string, columns: number, between: "letters" | "words"): readonly string[] {
  const pieces: string[] = [];
  for (let rest = line; rest !== "";) {
    const fitting = leading(rest, Math.max(2, columns));
    const piece = between === "words" ? wholeWords(fitting, rest) : fitting;
    pieces.push(between === "words" ? piece.trimEnd() : piece);
    rest = rest.slice(piece.length);
    if (between === "words") rest = rest.trimStart();
  }
  return pieces;
}

/** A word that is longer than a line is broken like anything else. */
function wholeWords(fitting: string, rest: string): string {
  if (fitting.length === rest.length || /^\s/.test(rest.slice(fitting.length))) return fitting;
  const whole = fitting.slice(0, fitting.search(/\s\S*$/) + 1);
  return whole.trim() === "" ? fitting : whole;
}

function columnsOfLetter(letter: string): number {
  if (WITHOUT_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}
