/** A table for a terminal: columns as wide as they need to be. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const format = (line: readonly string[]) =>
    widths
      .map((width, column) => (line[column] ?? "").padEnd(width))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [format(headings), rule, ...rows.map(format)].join("\n");
}
