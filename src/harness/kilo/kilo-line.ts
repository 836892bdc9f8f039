/** Lines of `kilocode --json-io`: an object, several of them side by side, or either of them within escape codes. */
import { stripVTControlCharacters } from "node:util";
import { isObject, type JsonObject } from "../acp/json-fields.js";
import { parseJson } from "../parse-json.js";

/** Every object in the line, in order; none if there is nothing else than other text. */
export function objectsIn(line: string): readonly JsonObject[] {
  const whole = parsed(line);
  if (whole) return [whole];
  return pieces(stripVTControlCharacters(line))
    .map(parsed)
    .filter((object) => object !== null);
}

/** The texts between outermost braces. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (isQuoted) {
      if (sign === "\\") index += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = depth > 0;
    else if (sign === "{") {
      if (depth === 0) start = index;
      depth += 1;
    } else if (sign === "}" && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, index + 1));
    }
  }
  return found;
}

function parsed(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
