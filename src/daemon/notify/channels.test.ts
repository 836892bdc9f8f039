import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { notifyConfigSchema, type Notification } from "../../protocol/notify-config.js";
import { channelsOf } from "./channels.js";

const TOLD = { type: "ask", title: "Fix it", text: "" } as Notification;

afterEach(() => void vi.restoreAllMocks());

function tell(command: readonly string[], timeoutMs: number): Promise<void> {
  const config = notifyConfigSchema.parse({ desktop: false, command });
  const [channel] = channelsOf(config, { PATH: process.env["PATH"] }, timeoutMs);
  if (!channel) throw new Error("no channel");
  return channel(TOLD);
}

test("a program that does not end is ended, with what it started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `sleep 600 & echo $! > ${join(folder, "pid")}; wait`;
  await expect(tell(["sh", "-c", script], 1_000)).rejects.toThrow("sh did not end in time");
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
});

test("one that is not ours to end is not waited for", async () => {
  const refusal = Object.assign(new Error("kill EPERM"), { code: "EPERM" });
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw refusal;
  });
  await expect(tell(["sleep", "1"], 10)).rejects.toThrow("sleep did not end in time");
  expect(kill.mock.calls.map(([, signal]) => signal)).toEqual(["SIGKILL"]);
});
