/**
 * The words of a command line: parted by spaces, kept together by quotes, and with `\` what follows is meant as it is.
 * Nothing else means anything: no shell reads it. Null while a quote is open.
 */
export function commandWords(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  const signs = Array.from(line);
  for (let at = 0; at < signs.length; at += 1) {
    const sign = signs[at] ?? "";
    if (sign === "\\" && quote !== "'" && at + 1 < signs.length) {
      at += 1;
      word = (word ?? "") + (signs[at] ?? "");
    } else if (quote === null && (sign === "'" || sign === '"')) {
      quote = sign;
      word ??= "";
    } else if (sign === quote) {
      quote = null;
    } else if (quote === null && /\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + sign;
  }
  if (word !== null) words.push(word);
  return quote === null ? words : null;
}
