/** The list of tools in the documents is that of the table. `UPDATE=1` writes it again. */
import { readFileSync, writeFileSync } from "node:fs";
import { format } from "prettier";
import { expect, test } from "vitest";
import { TOOL_TABLE, type ToolRow, type ToolUse } from "./tool-table.js";

const DOCUMENT = new URL("../../../docs/permissions-tools.md", import.meta.url);
const PLACE = /(<!-- tools: begin -->\n)[^]*(<!-- tools: end -->)/;

function describeUse(use: ToolUse): string {
  switch (use.category) {
    case "Shell":
      return `Shell: ${names(use.fields)}`;
    case "Web":
      return `Web: ${names([...use.fields, ...(use.texts ?? [])])}`;
    case "Read":
    case "Write":
      return `${use.category}: ${names(use.fields)}${use.otherwise === undefined ? "" : ", else the working directory"}`;
    case "Mcp":
      return `Mcp: ${names([use.server, use.tool])}`;
    case "Tool":
      return "Tool";
  }
}

function names(fields: readonly string[]): string {
  return fields.map((field) => `\`${field}\``).join(", ");
}

function rowOf({ harness, by, tools, uses }: ToolRow): string {
  const what = by === "kind" ? `kind ${names(tools)}` : names(tools);
  return `| ${harness} | ${what} | ${uses.map(describeUse).join("; ")} |`;
}

test("the document has every tool of the table", async () => {
  const text = readFileSync(DOCUMENT, "utf8");
  expect(text).toMatch(PLACE);
  const table = [
    "| harness | tools | category, and fields of the input |",
    "| --- | --- | --- |",
    ...TOOL_TABLE.map(rowOf),
  ];
  const written = text.replace(
    PLACE,
    (_, begin: string, end: string) => `${begin}\n${table.join("\n")}\n\n${end}`,
  );
  const expected = await format(written, { parser: "markdown", printWidth: 110 });
  if (process.env["UPDATE"] === "1") writeFileSync(DOCUMENT, expected);
  else expect(text).toBe(expected);
});
