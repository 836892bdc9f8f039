/** Agents that are missing, or broken in some way: a session of one says so clearly, and never hangs. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionDetail } from "../../src/protocol/session.js";
import { TestDaemon } from "./test-daemon.js";

/** The harness, and the program that it runs. */
const AGENTS = { claude: "claude", codex: "codex", gemini: "gemini", opencode: "opencode" } as const;
type Harness = keyof typeof AGENTS;
const HARNESSES = Object.keys(AGENTS) as readonly Harness[];

/** What stands in the agents' place. */
const PROGRAMS = {
  "is missing": null,
  "exits at once": "echo 'cannot find my own parts' >&2; exit 3",
  "prints rubbish": "printf 'Segmentation fault\\n\\377\\376{{{not json\\n'; exit 1",
  "is silent": "while read -r line; do :; done; exec sleep 300",
} as const;
type Fault = keyof typeof PROGRAMS;

/** How long a session may take to say that its agent is broken: a silent one is waited for 30 s. */
const PATIENCE_MS = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-broken-"));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A daemon that finds nothing but these programs and what they need. */
async function daemonWith(script: string | null): Promise<TestDaemon> {
  const bin = await mkdtemp(join(folder, "bin-"));
  for (const tool of ["sh", "sleep"]) await symlink(`/bin/${tool}`, join(bin, tool));
  await symlink(process.execPath, join(bin, "node"));
  for (const program of script === null ? [] : Object.values(AGENTS)) {
    await writeFile(
      join(bin, program),
      `#!/bin/sh\ncase "$1" in --version) echo 1.0.0; exit 0;; esac\n${script}\n`,
    );
    await chmod(join(bin, program), 0o755);
  }
  const home = join(bin, "home");
  await mkdir(home);
  return TestDaemon.start({ dataDir: join(bin, "data"), env: { PATH: bin, HOME: home }, inherit: false });
}

async function ended(daemon: TestDaemon, harness: Harness): Promise<SessionDetail> {
  const { client } = daemon;
  const { id } = await client.createSession({ harness, prompt: "hello", cwd: folder });
  // What it was told may fail before its end is known.
  const summary = async () => {
    const { status, state } = await client.getSession(id);
    return { status, alive: state.alive };
  };
  await expect
    .poll(summary, { timeout: PATIENCE_MS, interval: 100 })
    .toEqual({ status: "error", alive: false });
  return client.getSession(id);
}

/** Agents that speak ACP may take minutes to start: a silent one of these is not broken yet. */
const PATIENTLY_STARTED: readonly Harness[] = ["gemini", "opencode"];

/** It is waited for, says so, and can be cancelled. */
async function isStillStarting({ client }: TestDaemon, id: string): Promise<void> {
  const notes = async () => {
    const { items } = await client.getThread(id);
    return items.flatMap((item) => {
      const { type, text } = item as Readonly<Record<string, unknown>>;
      return type === "note" ? [text] : [];
    });
  };
  await expect
    .poll(notes, { timeout: PATIENCE_MS, interval: 100 })
    .toEqual(["The agent is still starting: it has not answered `initialize` yet."]);
  expect((await client.getSession(id)).status).toBe("creating");
  await client.cancel(id);
  await expect.poll(async () => (await client.getSession(id)).status).toBe("stopped");
}

const FAILED = /^harness_failed$/;
const WORDS: Readonly<Record<Fault, RegExp>> = {
  "is missing": /not installed/,
  "exits at once": /^the agent ended with code 3: cannot find my own parts$/,
  "prints rubbish": /ended with code 1/,
  "is silent": /ready/,
};

test("an agent that is missing is refused with the command that installs it, and leaves no session", async () => {
  const daemon = await daemonWith(PROGRAMS["is missing"]);
  try {
    for (const harness of HARNESSES) {
      const starting = daemon.client.createSession({ harness, prompt: "hello", cwd: folder });
      await expect(starting).rejects.toMatchObject({ status: 409, code: "harness_failed" });
      await expect(starting).rejects.toThrow(/is not installed\. Install it with: npm install/);
    }
    expect((await daemon.client.listSessions({})).items).toEqual([]);
  } finally {
    await daemon.end();
  }
});

const STARTED = (Object.keys(PROGRAMS) as readonly Fault[]).filter((fault) => fault !== "is missing");

test.each(STARTED)("an agent that %s", async (fault) => {
  const daemon = await daemonWith(PROGRAMS[fault]);
  try {
    const patient = fault === "is silent" ? PATIENTLY_STARTED : [];
    const waiting = patient.map(async (harness) => {
      const { id } = await daemon.client.createSession({ harness, prompt: "hello", cwd: folder });
      await isStillStarting(daemon, id);
    });
    const others = HARNESSES.filter((harness) => !patient.includes(harness));
    const sessions = await Promise.all(others.map((harness) => ended(daemon, harness)));
    await Promise.all(waiting);
    for (const { harness, error, state, ui } of sessions) {
      expect({ harness, source: error?.source, retryable: error?.retryable }).toEqual({
        harness,
        source: "harness",
        retryable: true,
      });
      expect(error?.code).toMatch(FAILED);
      expect(error?.message).toMatch(WORDS[fault]);
      expect(ui.showSpinner).toBe(false);
      await expect.poll(async () => (await daemon.client.listSessions({})).items.length).toBe(4);
      expect(state.asks).toEqual([]);
    }
  } finally {
    await daemon.end();
  }
});

test("what is missing is listed with the command that installs it", async () => {
  const daemon = await daemonWith(null);
  try {
    const { items } = await daemon.client.listHarnesses();
    for (const name of HARNESSES) {
      const report = items.find((item) => item.name === name);
      expect(report).toMatchObject({ installed: false, version: null, path: null });
      expect(report?.hint).toMatch(/npm install/);
    }
  } finally {
    await daemon.end();
  }
});

test("an agent that does not answer when asked for its version does not hold up the others", async () => {
  const daemon = await daemonWith("exit 0");
  try {
    const bin = join(daemon.dataDir, "..");
    await writeFile(join(bin, "codex"), "#!/bin/sh\nexec sleep 300\n");
    const reportOf = async (wanted: string) =>
      (await daemon.client.listHarnesses()).items.find(({ name }) => name === wanted);
    await expect.poll(() => reportOf("claude")).toMatchObject({ installed: true, version: "1.0.0" });
    // It is listed meanwhile, and what was found out comes later.
    await expect
      .poll(async () => (await reportOf("codex"))?.problems)
      .toEqual([expect.stringMatching(/codex --version did not answer within 10 s/)]);
  } finally {
    await daemon.end();
  }
});
