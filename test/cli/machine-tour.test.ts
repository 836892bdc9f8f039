import { beforeAll, expect, test } from "vitest";
import { buildSignalbox, runSignalbox } from "./signalbox.js";

beforeAll(buildSignalbox);

test("shows what the machines answer, plainly when nobody looks at a terminal", async () => {
  const { code, stdout, stderr } = await runSignalbox(["machine", "tour"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toMatch(
    /^ {2}you {4}start_session m1 +creating +spinner, cancel +spawn_harness, start_timer$/m,
  );
  expect(stdout).toMatch(
    /^ {2}rules {2}permission_resolved a1 +waiting_approval +NEEDS YOU, cancel +notify$/m,
  );
  expect(stdout).toMatch(/^ {2}agent {2}api_req_started +stopped +input, resume +ignored$/m);
  expect(stdout).toMatch(/^ {2}you {4}connect web +api +rejected: no_agent$/m);
});

test("takes less than 25 lines for each machine", async () => {
  const { stdout } = await runSignalbox(["machine", "tour"]);
  const parts = stdout.split("\n\n").map((part) => part.split("\n").length);
  expect(parts).toHaveLength(3);
  expect(Math.max(...parts)).toBeLessThan(25);
});
