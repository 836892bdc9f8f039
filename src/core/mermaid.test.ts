import { expect, test } from "vitest";
import { lampMachine } from "../../test/docs/lamp-machine.js";
import { drawMermaid } from "./mermaid.js";
import type { RowDescription, TableDescription } from "./table.js";

function table(
  columns: readonly string[],
  rows: Readonly<Record<string, readonly [string, string][]>>,
): TableDescription {
  return {
    machine: "made up",
    columns,
    gates: [],
    rows: Object.entries(rows).map(([event, moves]): RowDescription => {
      const cells = moves.map(([from, to]) => [from, { rule: "move", to: [to], note: "" }] as const);
      return { event, kind: "fact", cells: Object.fromEntries(cells) };
    }),
  };
}

test("draws one arrow per pair of states, in the order of the columns, and none that stays", () => {
  expect(drawMermaid(lampMachine.description)).toBe(
    [
      "stateDiagram-v2",
      "  off",
      "  on",
      "  broken",
      "  off --> on : press",
      "  off --> broken : burn_out",
      "  on --> off : press, power#58;lost",
      "  on --> broken : burn_out",
      "",
    ].join("\n"),
  );
});

test("breaks a long label between events", () => {
  const rows = Object.fromEntries(
    ["a_rather_long_name", "another_long_name", "short"].map((event) => [
      event,
      [["x", "y"] as [string, string]],
    ]),
  );
  expect(drawMermaid(table(["x", "y"], rows))).toContain(
    "  x --> y : a_rather_long_name, another_long_name,<br/>short\n",
  );
});

test("gives a state whose name Mermaid would not take another one, and each its own", () => {
  const drawn = drawMermaid(table(["turn: done", "turn done", "end", "7"], { go: [["turn: done", "end"]] }));
  expect(drawn).toBe(
    [
      "stateDiagram-v2",
      '  state "turn#58; done" as turn_done',
      '  state "turn done" as turn_done_',
      '  state "end" as s_end',
      '  state "7" as s_7',
      "  turn_done --> s_end : go",
      "",
    ].join("\n"),
  );
});

test("writes no character into a label that could end it", () => {
  const drawn = drawMermaid(table(["x", "y"], { 'a:b;c#d"e\nf<g>%': [["x", "y"]] }));
  expect(drawn).toContain("  x --> y : a#58;b#59;c#35;d#34;e#10;f#60;g#62;#37;\n");
});
