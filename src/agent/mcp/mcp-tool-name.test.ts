import { expect, test } from "vitest";
import { mcpToolName } from "./mcp-tool-name.js";

test("a name that every provider takes stays; others become such a name, each its own", () => {
  expect(mcpToolName("files", "read_all-2")).toBe("mcp__files__read_all-2");
  const names = ["read.all", "read/all", "read all", "x".repeat(100), `${"x".repeat(100)}y`, "größe"].map(
    (tool) => mcpToolName("files", tool),
  );
  expect(names[0]).toMatch(/^mcp__files__read_all_[0-9a-f]{8}$/);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(names.length);
});
