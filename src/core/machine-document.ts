/** Prints a machine's table as the Markdown document in `docs/machines`. */
import { drawMermaid } from "./mermaid.js";
import type { RowDescription, TableDescription } from "./table.js";

export function machineDocument(description: TableDescription, introduction: string): string {
  const sections = [
    `# The ${description.machine} machine`,
    "<!-- Generated from the table by `npm run docs`. Do not edit. -->",
    introduction,
    "## Before the table",
    gates(description),
    "## Diagram",
    "An arrow is there when some event can lead from one state to the other; what stays is only in the table.",
    `\`\`\`mermaid\n${drawMermaid(description)}\`\`\``,
    "## Table",
    "Every cell names the rule that decides; the rules are listed below.",
    ...rowsOfKind(description, "request", "Requests"),
    ...rowsOfKind(description, "fact", "Facts"),
    "## Rules",
    grid(["rule", "what it does", "leads to", "cells"], rules(description)),
  ];
  return `${sections.join("\n\n")}\n`;
}

function gates(description: TableDescription): string {
  if (description.gates.length === 0) return "Nothing: the table is asked about every event.";
  return description.gates.map((gate) => `- ${gate}`).join("\n");
}

function rowsOfKind(description: TableDescription, kind: RowDescription["kind"], title: string) {
  const rows = description.rows.filter((row) => row.kind === kind);
  if (rows.length === 0) return [];
  const body = rows.map((row) => [
    code(row.event),
    ...description.columns.map((column) => row.cells[column]?.rule ?? ""),
  ]);
  return [`### ${title}`, grid(["event", ...description.columns], body)];
}

interface RuleUse {
  readonly note: string;
  readonly targets: Set<string>;
  cells: number;
}

/** Every rule that is used, in the order of the table. */
function rules(description: TableDescription): readonly (readonly string[])[] {
  const uses = new Map<string, RuleUse>();
  for (const row of description.rows) {
    for (const column of description.columns) {
      const cell = row.cells[column];
      if (!cell) continue;
      const use = uses.get(cell.rule) ?? { note: cell.note, targets: new Set(), cells: 0 };
      uses.set(cell.rule, use);
      use.cells += 1;
      for (const target of cell.to) use.targets.add(target === column ? "stays" : code(target));
    }
  }
  return [...uses].map(([rule, use]) => [code(rule), use.note, targets(use.targets), String(use.cells)]);
}

function targets(found: ReadonlySet<string>): string {
  const moves = [...found].filter((target) => target !== "stays");
  return [...moves, ...(found.has("stays") ? ["stays"] : [])].join(", ");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** A Markdown table whose columns line up in the source as well. */
function grid(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, ...body].map((row) => row.map((text) => text.replaceAll("|", "\\|")));
  const widths = head.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const print = (row: readonly string[]) =>
    `| ${widths.map((width, index) => (row[index] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [print(rows[0] ?? []), rule, ...rows.slice(1).map(print)].join("\n");
}
