/** `signalbox top` in a real terminal, against a real daemon with agents at work. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PROGRAM, runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";
import { HAS_TMUX, TmuxPane, type PaneOptions } from "./tmux-pane.js";

let daemon: TestDaemon;
let pane: TmuxPane | undefined;

beforeAll(async () => {
  daemon = await TestDaemon.start();
});

afterAll(async () => {
  await daemon.end();
});

afterEach(async () => {
  pane?.close();
  pane = undefined;
  // What waits for a person comes first: what a test leaves open would be in the way of the next.
  const { items } = await daemon.client.listSessions();
  const open = items.filter(({ status }) => status !== "stopped");
  await Promise.all(open.map(({ id }) => daemon.client.cancel(id)));
});

/** An agent that says something, asks, and says what it was told. */
const CAREFUL = script([
  { emit: { type: "request" } },
  { emit: { type: "text", text: "I would like to clean up first.\n" } },
  { emit: { type: "ask", askId: "a1", ask: "command", title: "rm -rf build", detail: "in the project" } },
  {
    answer: "a1",
    approve: [{ emit: { type: "text", text: "Cleaned up.\n" } }],
    reject: [{ emit: { type: "text", text: "Then I leave it.\n" } }],
  },
  { emit: { type: "done" } },
]);
const COUNTING = script([
  { emit: { type: "request" } },
  { emit: { type: "text", text: "step $I\n" }, repeat: 1000, everyMs: 200 },
  { emit: { type: "done" } },
]);

function script(turn: readonly unknown[]): string {
  const path = join(mkdtempSync(join(tmpdir(), "signalbox-script-")), "agent.json");
  writeFileSync(path, JSON.stringify({ turns: [turn] }));
  return path;
}

async function start(title: string, file: string | null = null): Promise<string> {
  const args = file === null ? [] : ["--script", file];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: tmpdir(), prompt: title, args });
  return id;
}

const statusOf = async (id: string) => (await daemon.client.getSession(id)).status;

async function open(options: PaneOptions = {}): Promise<TmuxPane> {
  const opened = new TmuxPane(options);
  pane = opened;
  opened.enter(
    `${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} top --data-dir ${daemon.dataDir}; echo "status=$?"`,
  );
  await opened.shows("? help");
  return opened;
}

/** A line that `top` asks for. What comes in one piece with Enter would be a paste, which sends nothing. */
async function writeLine(screen: TmuxPane, text: string): Promise<void> {
  screen.type(text);
  await screen.shows(text);
  screen.press("Enter");
}

/** What was read can be answered. */
const reading = () => delay(1_000);

describe.runIf(HAS_TMUX)("in tmux", () => {
  test("who waits comes first; one key approves, and leaving puts the terminal back", async () => {
    const counting = await start("Count for me", COUNTING);
    const careful = await start("Tidy up", CAREFUL);
    const screen = await open();
    await screen.shows(/^>! \S+ Needs approval +\*?script +\d+s Tidy up {2}rm -rf build$/m);
    await screen.shows(/^ {3}\S+ Working +\*?script +\d+s Count for me {2}Writing: step \d+$/m);
    await screen.shows("Needs approval: rm -rf build");
    await screen.shows("  in the project");
    expect(screen.lines()[0]).toBe("signalbox  1 needs you, 1 working, 2 in all");
    await reading();
    screen.press("a");
    await screen.shows("approved: rm -rf build");
    await screen.shows("Cleaned up.");
    await expect.poll(() => statusOf(careful)).toBe("completed");
    await expect.poll(() => screen.lines()[0]).toBe("signalbox  1 working, 2 in all");
    screen.press("q");
    await screen.shows("status=0");
    expect(["alternate_on", "cursor_flag"].map((name) => screen.value(name))).toEqual(["0", "1"]);
    await daemon.client.cancel(counting);
  });

  test("rejecting says why, and messages are sent", async () => {
    const id = await start("Tidy up again", CAREFUL);
    const screen = await open();
    await screen.shows("Needs approval: rm");
    await reading();
    screen.press("r");
    await screen.shows("Reject, and tell the agent:");
    await writeLine(screen, "use the other folder");
    await screen.shows("Then I leave it.");
    const { items } = await daemon.client.listEvents(id);
    expect(JSON.stringify(items)).toContain("use the other folder");
    await expect.poll(() => statusOf(id)).toBe("completed");
    screen.press("m");
    await screen.shows("Message:");
    await writeLine(screen, "hello again, täglich");
    await screen.shows("sent");
    await expect
      .poll(async () => JSON.stringify((await daemon.client.getThread(id)).items))
      .toContain("täglich");
  });

  test("what does not fit is approved only after its end was shown", async () => {
    const detail = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const id = await start(
      "Tidy up at length",
      script([
        { emit: { type: "request" } },
        { emit: { type: "ask", askId: "a1", ask: "command", title: "rm -rf build", detail } },
        { answer: "a1", approve: [{ emit: { type: "text", text: "Cleaned up.\n" } }], reject: [] },
        { emit: { type: "done" } },
      ]),
    );
    const screen = await open();
    await screen.shows(/\.\.\. and \d+ lines more below/);
    await reading();
    screen.press("a");
    await screen.shows("not all of it was shown");
    screen.press("Space");
    await screen.showsNot("line 0");
    for (let page = 0; page < 4; page += 1) {
      screen.press("NPage");
      // Keys that come in one piece are none.
      await delay(300);
    }
    await screen.shows("line 39");
    await screen.shows("lines above");
    expect(await statusOf(id)).toBe("waiting_approval");
    await reading();
    screen.press("a");
    await screen.shows("approved: rm -rf build");
    await expect.poll(() => statusOf(id)).toBe("completed");
  });

  test("keys that come in one piece never act on an agent", async () => {
    const id = await start("Tidy up once more", CAREFUL);
    const screen = await open();
    await screen.shows("Needs approval: rm");
    await reading();
    screen.type("aaay\raaa");
    await screen.shows("press them one by one");
    expect(await statusOf(id)).toBe("waiting_approval");
    screen.type("/once more");
    await screen.shows("filter: once more");
    screen.press("Escape");
    await screen.showsNot("filter:");
    await daemon.client.cancel(id);
  });

  test("the daemon may go and come back", async () => {
    await start("Still here");
    const screen = await open();
    await screen.shows("Still here");
    await daemon.kill("SIGKILL");
    await screen.shows("the daemon is away");
    daemon = await TestDaemon.start({
      dataDir: daemon.dataDir,
      args: ["--port", new URL(daemon.ready.url).port],
    });
    await screen.showsNot("the daemon is away");
    await start("New here");
    await screen.shows("New here");
  });

  test("a small terminal, another size, and no colours", async () => {
    await start("Tidy up in a small window", CAREFUL);
    const screen = await open({ cols: 40, rows: 12, env: { NO_COLOR: "1" } });
    await screen.shows(/^>! Needs approval +Tidy up/m);
    await screen.shows("a approve  r reject");
    // Neither of the foreground nor of the background.
    expect(screen.look()).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|38;|48;)/);
    expect(Math.max(...screen.lines().map((line) => line.length))).toBeLessThanOrEqual(40);
    screen.resize(90, 30);
    await screen.shows(/^>! \S+ Needs approval +\*?script .*Tidy up in a small window {2}rm -rf build$/m);
    expect(screen.lines().filter((line) => line.includes("in all")).length).toBe(1);
    screen.press("?");
    await screen.shows("the next one that waits for you");
    screen.press("Escape");
    await screen.shows("? help");
    screen.press("C-c");
    await screen.shows("status=0");
  });
});

test("without a terminal it says what to use", async () => {
  expect(await runSignalbox(["top", "--data-dir", daemon.dataDir])).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "signalbox: top needs a terminal\nWithout one, see signalbox ls --watch, or signalbox ls --watch --json.\n",
  });
});
