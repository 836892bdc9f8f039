import { expect, test } from "vitest";
import { exitReason } from "./exit-reason.js";

test.each([
  [null, "one\ntwo\n\n[exit code 2]", "exit code 2"],
  [null, "Exit code 127\nsh: nope: not found", "exit code 127"],
  ["exit code 1", "", "exit code 1"],
  [null, "x\n[ended by SIGKILL]", "ended by SIGKILL"],
  [null, "the exit code 3 is in the\nmiddle\nof it", "exit code 3"],
  [null, "a\nexit code 3\nb", ""],
  [null, "", ""],
])("%j and %j", (error, output, reason) => {
  expect(exitReason({ error, output })).toBe(reason);
});
