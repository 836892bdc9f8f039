/** A title is one line; what is cut says so. */
export function titleLine(title: string, lengthMax: number): string {
  const line = title.trim().replaceAll(/\s+/g, " ");
  return line.length > lengthMax ? `${line.slice(0, lengthMax - 1)}…` : line;
}
