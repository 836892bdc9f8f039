/**
 * Patterns over one piece of text: `*` is any characters, a backslash takes the next character as it is. Nothing else is
 * special. Matching is linear: it never goes back.
 */
import { spend } from "./work.js";

/** The literal pieces between the stars: `a*b` is `["a", "b"]`. One piece: no star. */
export type TextGlob = readonly string[];

export function parseTextGlob(pattern: string): TextGlob {
  const pieces = [""];
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] ?? "";
    if (char === "*") pieces.push("");
    else {
      if (char === "\\") index += 1;
      pieces.push((pieces.pop() ?? "") + (pattern[index] ?? ""));
    }
  }
  return pieces;
}

export function matchesTextGlob(glob: TextGlob, text: string): boolean {
  const first = glob[0] ?? "";
  if (glob.length < 2) return text === first;
  spend(glob.length + (text.length >> 4));
  const last = glob[glob.length - 1] ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let from = first.length;
  for (let index = 1; index < glob.length - 1; index += 1) {
    const piece = glob[index] ?? "";
    const found = text.indexOf(piece, from);
    if (found === -1 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

/** Writes a text so that it stands for itself alone. */
export function escapeText(text: string): string {
  return text.replace(/[\\*()]/g, "\\$&");
}
