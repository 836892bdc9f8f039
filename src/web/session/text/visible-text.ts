/** What agents and their tools print, as text that shows no more and no less than it says. */

/** Sequences that tell a terminal something: colours, titles, links, the clipboard. A page is no terminal. */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[PX^_][^\u001b\u009c]*(?:\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
/** Characters that reorder what is read around them. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;
/** Characters that nobody sees. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Prose: its characters as they are, but for those that make a text read other than it is written. */
export function proseText(text: string): string {
  return withoutEscapes(text).replace(REORDERING, named);
}

/** What a program printed: lines as a terminal would have left them, without colours. */
export function outputText(text: string): string {
  const lines = withoutEscapes(text).replaceAll("\r\n", "\n");
  return overwritten(lines).replace(CONTROLS, pictured).replace(REORDERING, named);
}

/** What will be run, to the last character: what cannot be seen is named. */
export function exactText(text: string): string {
  return text.replace(CONTROLS, pictured).replace(REORDERING, named).replace(UNSEEN, named);
}

function withoutEscapes(text: string): string {
  return /[\u001b\u009b\u009d]/.test(text) ? text.replace(ESCAPES, "") : text;
}

/** A line that was written over shows what was written last. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => {
      const end = line.endsWith("\r") ? line.slice(0, -1) : line;
      return end.slice(end.lastIndexOf("\r") + 1);
    })
    .join("\n");
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** `␛` for an escape: Unicode has a picture of each. */
function pictured(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : named(character);
}
