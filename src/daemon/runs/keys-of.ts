import type { Typing } from "../../runtime/terminal-observation.js";

const ENTER = "\r";

export function keysOf(typing: Typing): string {
  return typing.type === "message" ? `${typing.text}${ENTER}` : typing.keys;
}
