/**
 * Draws a machine's table as a Mermaid state diagram: one arrow for each pair of states, named by the events that can
 * take it. Cells that only stay where they are have no arrow; the table beside the diagram has them.
 */
import type { TableDescription } from "./table.js";

const LABEL_LINE_LENGTH_MAX = 40;

/** Words that Mermaid would read as its own. */
const RESERVED = new Set(
  "as class classDef click default direction end fork hide join choice note scale state style".split(" "),
);

export function drawMermaid(description: TableDescription): string {
  const ids = nodeIds(description.columns);
  const lines = ["stateDiagram-v2"];
  for (const [column, id] of ids)
    lines.push(id === column ? `  ${id}` : `  state "${escape(column)}" as ${id}`);
  for (const from of description.columns) {
    for (const to of description.columns) {
      const events = from === to ? [] : eventsBetween(description, from, to);
      if (events.length > 0)
        lines.push(`  ${ids.get(from) ?? from} --> ${ids.get(to) ?? to} : ${label(events)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function eventsBetween(description: TableDescription, from: string, to: string): readonly string[] {
  return description.rows.filter((row) => row.cells[from]?.to.includes(to)).map((row) => row.event);
}

/** A name Mermaid accepts for every column: the column itself where possible. */
function nodeIds(columns: readonly string[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const column of columns) {
    const plain = column.replace(/\W+/g, "_").replace(/^_+|_+$/g, "");
    let id = /^[A-Za-z]/.test(plain) && !RESERVED.has(plain) ? plain : `s_${plain}`;
    while (taken.has(id)) id += "_";
    taken.add(id);
    ids.set(column, id);
  }
  return ids;
}

function label(events: readonly string[]): string {
  const lines: string[] = [];
  let line = "";
  for (const [index, event] of events.entries()) {
    const item = index < events.length - 1 ? `${event},` : event;
    if (line !== "" && line.length + 1 + item.length > LABEL_LINE_LENGTH_MAX) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? item : ` ${item}`;
  }
  return [...lines, line].map(escape).join("<br/>");
}

/** Mermaid ends a label at a colon or a semicolon, unless it is written as an entity. */
function escape(text: string): string {
  return text.replace(/[^\w ,.()/+-]/g, (character) => `#${character.codePointAt(0) ?? 0};`);
}
