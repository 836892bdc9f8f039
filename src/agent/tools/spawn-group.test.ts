import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { signalGroup, spawnGroup } from "./spawn-group.js";

afterEach(() => void vi.restoreAllMocks());

test.each(["ESRCH", "EPERM"])("a group in which nobody can be signalled (%s) is over", async (code) => {
  const world = {
    cwd: "/",
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
  } as const;
  const child = spawnGroup("sleep", ["600"], world);
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(signalGroup(child, "SIGKILL")).toBe(false);
  kill.mockRestore();
  expect(signalGroup(child, "SIGKILL")).toBe(true);
  await once(child, "exit");
});
