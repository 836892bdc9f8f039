/** Signals, exits and ends, as the keeper does and sees them: the whole group, and bubblewrap leads it. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitThroughWall } from "../../src/keeper/own-process.js";
import { CANNOT, ended, start, WallLab, type Ended } from "./wall-lab.js";

let lab: WallLab;
beforeAll(() => {
  lab = new WallLab();
});
afterAll(() => lab.remove());

interface Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly end: Promise<Ended>;
}

/** A shell script that says `ready` once it is. */
async function running(script: string): Promise<Running> {
  const raised = await lab.raise("/bin/bash", ["-c", script]);
  if (!raised.ok) throw new Error(raised.reason);
  const child = start(raised, lab.project);
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (data: Buffer) => {
      if (data.toString().includes("ready")) resolve();
    });
  });
  return { pid: child.pid ?? 0, ready, end: ended(child) };
}

/** Processes of this machine whose command line has a word. */
function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      // Gone meanwhile.
      return false;
    }
  });
}

async function gone(word: string): Promise<readonly string[]> {
  for (let tries = 0; tries < 50 && processesWith(word).length > 0; tries += 1) await sleep(100);
  return processesWith(word);
}

describe.skipIf(CANNOT)("signals", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGQUIT"] as const)(
    "%s to the group reaches the agent's own handler",
    async (signal) => {
      const run = await running(
        `trap 'echo handled; exit 3' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`,
      );
      await run.ready;
      process.kill(-run.pid, signal);
      const { status, out } = await run.end;
      expect({ status, out }).toEqual({ status: 3, out: "ready\nhandled\n" });
    },
  );

  test("an agent without a handler ends by the signal, and its exit is told as the signal", async () => {
    const run = await running("echo ready; exec sleep 600");
    await run.ready;
    process.kill(-run.pid, "SIGTERM");
    const { status, signal } = await run.end;
    expect(exitThroughWall({ code: status, signal })).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("an exit is told as it is", async () => {
    const { status, signal } = await lab.inside("exit 7");
    expect(exitThroughWall({ code: status, signal })).toEqual({ code: 7, signal: null });
  });

  test("SIGKILL of the group ends everything inside, in whatever session", async () => {
    const word = "601.25";
    const run = await running(
      `setsid sleep ${word} & setsid bash -c 'trap "" TERM INT HUP; sleep ${word}; :' & sleep 0.2; echo ready; sleep ${word}`,
    );
    await run.ready;
    expect(processesWith(word).length).toBeGreaterThan(0);
    process.kill(-run.pid, "SIGKILL");
    await run.end;
    expect(await gone(word)).toEqual([]);
  });

  test("when the agent ends, so does what it has left in the background", async () => {
    const word = "602.25";
    const { out } = await lab.inside(
      `setsid -f sleep ${word} >/dev/null 2>&1; sleep 0.1; pgrep -c -f ${word}`,
    );
    expect(Number(out)).toBeGreaterThan(0);
    expect(await gone(word)).toEqual([]);
  });
});

test("exits by signals that nobody knows stay numbers", () => {
  expect(exitThroughWall({ code: 128, signal: null })).toEqual({ code: 128, signal: null });
  expect(exitThroughWall({ code: 255, signal: null })).toEqual({ code: 255, signal: null });
  expect(exitThroughWall({ code: 137, signal: null })).toEqual({ code: null, signal: "SIGKILL" });
  expect(exitThroughWall({ code: null, signal: "SIGKILL" })).toEqual({ code: null, signal: "SIGKILL" });
});
