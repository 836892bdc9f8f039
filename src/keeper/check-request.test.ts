import fc from "fast-check";
import { expect, test } from "vitest";
import { keeperRequestSchema } from "../protocol/keeper.js";
import { checkRequest } from "./check-request.js";

const run = { runId: "s_1-x.12", effectId: "4.2" };
const spawn = {
  type: "spawn",
  id: 3,
  ...run,
  command: "sh",
  args: ["-c"],
  cwd: "/",
  env: { A: "1" },
  hooks: true,
};
const VALID: readonly Readonly<Record<string, unknown>>[] = [
  { type: "hello", id: 0, version: 9 },
  spawn,
  { ...spawn, pty: { cols: 1, rows: 1000 } },
  { ...spawn, umask: 0o777, openFilesMax: 1 },
  { type: "input", id: 1, ...run, data: "", encoding: "utf8" },
  { type: "input", id: 1, ...run, effectId: null, data: "eA==", encoding: "base64" },
  { type: "input", id: 1, ...run, data: "x", encoding: "utf8", hold: "4.2" },
  { type: "input", id: 1, ...run, data: "x", encoding: "utf8", asker: { pid: 7, start: "t1" } },
  { type: "hold", id: 1, runId: "s.1", holdId: "4.2", pid: 7, start: "7@boot" },
  { type: "release", id: 1, runId: "s.1", holdId: "4.2", isTaken: true },
  { type: "close_input", id: 1, ...run },
  { type: "signal", id: 1, ...run, signal: "SIGHUP" },
  { type: "stop", id: 1, ...run, interrupt: false, termAfterMs: 0, killAfterMs: 1 },
  { type: "resize", id: 1, runId: "s.1", cols: 80, rows: 24 },
  { type: "consumed", id: 1, runId: "s.1", spool: "out", offset: 0 },
  { type: "forget", id: 1, runId: "s.1" },
  { type: "ping", id: 1 },
  { type: "shutdown", id: 1 },
];

/** Values of every kind, and those at the edges of what fields take. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1,
    1000,
    1001,
    0o1000,
    2 ** 30 + 1,
    1.5,
    2 ** 53,
    "",
    "s.1",
    "1.0",
    ".1",
    "1.",
    "SIGUSR1",
  ),
  fc.constantFrom<unknown>("hooks", "latin1", "a/b.1", "s.1\n", `${"s".repeat(65)}.1`, "1234567890123456.0"),
  fc.constantFrom<unknown>([], [1], ["x"], {}, { A: 1 }, { A: "x" }, { cols: 1 }, { cols: 1, rows: 1001 }),
  fc.jsonValue({ maxDepth: 2 }),
);

test("every kind of request is taken as it is", () => {
  for (const request of VALID) {
    expect(checkRequest(JSON.stringify(request))).toEqual({ type: "request", request });
  }
  const types = keeperRequestSchema.options.map((option) => option.shape.type.value);
  expect(new Set(VALID.map(({ type }) => type))).toEqual(new Set(types));
});

test("it agrees with the schema on what is a request", () => {
  let refused = 0;
  const change = fc.record({
    request: fc.constantFrom(...VALID),
    fieldIndex: fc.nat(20),
    to: fc.oneof(
      fc.constant({ type: "deleted" } as const),
      odd.map((value) => ({ type: "value", value }) as const),
    ),
  });
  fc.assert(
    fc.property(change, ({ request, fieldIndex, to }) => {
      const fields = [...Object.keys(request), "pty", "unknown"];
      const field = fields[fieldIndex % fields.length] ?? "";
      const { [field]: _removed, ...rest } = request;
      const changed = to.type === "deleted" ? rest : { ...rest, [field]: to.value };
      // Both see what came over the wire.
      const line = JSON.stringify(changed);
      const expected = keeperRequestSchema.safeParse(JSON.parse(line)).success;
      refused += expected ? 0 : 1;
      expect({ line, taken: checkRequest(line).type === "request" }).toEqual({ line, taken: expected });
    }),
    { numRuns: 5_000 },
  );
  expect(refused).toBeGreaterThan(1_000);
});

test.each([
  ["nonsense", 0],
  ["null", 0],
  ["[]", 0],
  ['{"id":5,"type":"nope"}', 5],
  ['{"id":5,"type":"toString"}', 5],
  ['{"id":-5,"type":"hello","version":1}', 0],
])("%s is answered under the id %d", (line, id) => {
  expect(checkRequest(line)).toEqual({ type: "invalid", id, message: expect.any(String) as string });
});
