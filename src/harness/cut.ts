/** The beginning of a text that is too long, with how much is missing: whoever decides about it must know. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax)}\n… ${text.length - lengthMax} more characters are not shown`;
}
