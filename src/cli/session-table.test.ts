import { expect, test } from "vitest";
import { sessionSummary } from "../../test/cli/wire-values.js";
import { sessionTable } from "./session-table.js";

const SESSIONS = [
  sessionSummary({
    id: "abcdefgh1234",
    status: "waiting_approval",
    title: "Fix the failing test of the parser",
  }),
];
const paint = (_colour: string, text: string) => text;

test.each([
  [undefined, ["ID", "STATUS", "HARNESS", "CHANGED", "TITLE"], "Fix the failing test of the parser"],
  [80, ["ID", "STATUS", "HARNESS", "CHANGED", "TITLE"], "Fix the failing test of the parser"],
  [50, ["ID", "STATUS", "HARNESS", "TITLE"], "Fix the fail…"],
  [40, ["ID", "STATUS", "TITLE"], "Fix the fai…"],
])("in %s columns the title still has room", (widthMax, header, title) => {
  const lines = sessionTable(SESSIONS, { paint, ...(widthMax === undefined ? {} : { widthMax }) });
  expect(lines[0]?.split(/ +/)).toEqual(header);
  expect(lines[1]?.split(/ {2,}/).at(-1)).toBe(title);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(widthMax ?? Infinity);
});

test("a shell is called one, and what is not known is marked beside what was proven last", () => {
  const idle = sessionSummary({ id: "a", status: "idle" });
  const shell = { ...idle, id: "b", ui: { ...idle.ui, canCancel: true } };
  const unknown = sessionSummary({ id: "c", certainty: "unknown" });
  const lines = sessionTable([idle, shell, unknown], { paint });
  expect(lines.slice(1).map((line) => line.split(/ +/)[1])).toEqual(["idle", "shell", "streaming?"]);
});
