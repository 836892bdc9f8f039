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
  [undefined, ["ID", "STATUS", "AGENT", "CHANGED", "TITLE"], "Fix the failing test of the parser"],
  [100, ["ID", "STATUS", "AGENT", "CHANGED", "FOLDER", "TITLE"], "Fix the failing test of the parser"],
  [90, ["ID", "STATUS", "AGENT", "CHANGED", "FOLDER", "TITLE"], "Fix the failing test of the parser"],
  [80, ["ID", "STATUS", "AGENT", "CHANGED", "TITLE"], "Fix the failing test of the parser"],
  [75, ["ID", "STATUS", "AGENT", "CHANGED", "TITLE"], "Fix the failing test of the par…"],
  [48, ["ID", "STATUS", "AGENT", "TITLE"], "Fix the faili…"],
  [40, ["ID", "STATUS", "TITLE"], "Fix the faili…"],
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
  expect(lines.slice(1).map((line) => line.split(/ {2,}/)[1])).toEqual(["Not started", "Shell", "Not known"]);
});

test("folders are told from the home folder, and the agent that gets messages has a mark", () => {
  const one = sessionSummary({ id: "a", cwd: "/people/ann/src/app", title: "One" });
  const two = sessionSummary({ id: "b", cwd: `/srv/${"deep/".repeat(10)}app`, title: "Two" });
  const lines = sessionTable([one, two], { paint, widthMax: 120, home: "/people/ann", connected: "b" });
  expect(lines.slice(1).map((line) => line.split(/ {2,}/).toSpliced(3, 1))).toEqual([
    ["a", "Working", "claude", "~/src/app", "One"],
    ["b", "Working", "claude *", "…ep/deep/deep/deep/deep/deep/app", "Two"],
  ]);
});

test("who works and is asked for by the wall needs a person", () => {
  const ask = { askId: "w", ask: "network", title: "Wants to reach a.test:443", detail: "", tool: "network" };
  const asks = [{ ...ask, source: "wall" as const, needsHuman: true, openedAtMs: 1, suggestions: [] }];
  const [, line] = sessionTable([sessionSummary({ id: "a", status: "streaming", asks })], { paint });
  expect(line?.split(/ {2,}/)[1]).toBe("Working, needs you");
});
