/** `{a,b}c` written out as `ac` and `bc`, as bash does it. A backslash takes the next character as it is. */

/** Null when there would be more than `max`. Braces without a comma of their own stand for themselves. */
export function expandBraces(text: string, max: number): readonly string[] | null {
  const done: string[] = [];
  const open: { readonly text: string; readonly from: number }[] = [{ text, from: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const found = firstBraces(next.text, next.from);
    if (!found) done.push(next.text);
    else {
      const { start, end, options } = found;
      const head = next.text.slice(0, start);
      const tail = next.text.slice(end + 1);
      for (const option of options.toReversed()) open.push({ text: head + option + tail, from: start });
    }
    if (done.length + open.length > max) return null;
  }
  return done;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly options: readonly string[];
}

function firstBraces(text: string, from: number): Braces | null {
  for (let start = from; start < text.length; start += 1) {
    if (text[start] === "\\") start += 1;
    else if (text[start] === "{") {
      const braces = readBraces(text, start);
      if (braces) return braces;
    }
  }
  return null;
}

function readBraces(text: string, start: number): Braces | null {
  const options: string[] = [];
  let depth = 0;
  let optionStart = start + 1;
  for (let index = start + 1; index < text.length; index += 1) {
    const char = text[index];
    if (char === "\\") index += 1;
    else if (char === "{") depth += 1;
    else if (char === "}" && depth > 0) depth -= 1;
    else if (char === "," && depth === 0) {
      options.push(text.slice(optionStart, index));
      optionStart = index + 1;
    } else if (char === "}") {
      if (options.length === 0) return null;
      return { start, end: index, options: [...options, text.slice(optionStart, index)] };
    }
  }
  return null;
}
