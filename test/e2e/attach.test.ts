/** `signalbox attach` in real terminals, against a real daemon. */
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PROGRAM, runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";
import { HAS_TMUX, TmuxPane } from "./tmux-pane.js";

let daemon: TestDaemon;
let pane: TmuxPane;

beforeAll(async () => {
  daemon = await TestDaemon.start();
});

afterAll(async () => {
  await daemon.end();
});

async function startShell(): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: tmpdir(),
    args: ["/bin/sh"],
    env: { PS1: "inner$ ", ENV: "" },
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("idle");
  return id;
}

const node = JSON.stringify(process.execPath);
const command = (id: string, flags = "") =>
  `${node} ${flags} ${JSON.stringify(PROGRAM)} attach ${id} --data-dir ${daemon.dataDir}; echo "status=$?"`;

/** A pane whose shell has said how its terminal is set. */
async function open(id: string, flags = ""): Promise<string> {
  pane = new TmuxPane();
  await pane.shows("$");
  const before = await settings();
  pane.enter(command(id, flags));
  await pane.shows("inner$");
  return before;
}

async function settings(): Promise<string> {
  pane.enter("clear; echo modes:$(stty -g):; echo shown");
  await pane.shows(/^shown$/m);
  return /^modes:(.*?):$/ms.exec(pane.screen())?.[1]?.replace(/\n/g, "") ?? "";
}

/** The pane's shell has its terminal as it had it. */
async function expectRestored(before: string): Promise<void> {
  expect(before).not.toBe("");
  expect(await settings()).toBe(before);
  const flags = ["alternate_on", "mouse_any_flag", "cursor_flag", "keypad_cursor_flag", "wrap_flag"];
  expect(flags.map((name) => pane.value(name))).toEqual(["0", "0", "1", "0", "1"]);
}

/** The program that the pane's shell runs. */
function childOf(shellPid: number): number {
  return Number(
    execFileSync("pgrep", ["-P", String(shellPid), "-x", "-f", ".*attach.*"], { encoding: "utf8" }),
  );
}

const leave = () => pane.press("C-\\", "C-\\");

describe.runIf(HAS_TMUX)("in tmux", () => {
  afterEach(() => pane.close());

  test("what is typed is run, Ctrl-C too, and leaving leaves the shell and the terminal as they were", async () => {
    const id = await startShell();
    const before = await open(id.slice(0, 8));
    pane.enter("kept=still; stty size");
    await pane.shows("24 80");
    pane.enter("sleep 1000");
    pane.press("C-c");
    pane.enter("echo after$((1 + 1))");
    await pane.shows("after2");
    leave();
    await pane.shows("detached; the agent goes on");
    await pane.shows("status=0");
    await expectRestored(before);
    pane.enter(command(id));
    await pane.shows("inner$");
    pane.enter("echo $kept here");
    await pane.shows("still here");
    leave();
    await pane.shows("status=0");
  });

  test("says at its start how to leave it", async () => {
    const id = await startShell();
    pane = new TmuxPane();
    pane.enter(command(id));
    await pane.shows(`attached to ${id}; Ctrl-\\ twice detaches`);
    leave();
    await pane.shows("status=0");
  });

  test("the program has the size of the window, also after that changed", async () => {
    const id = await startShell();
    await open(id);
    pane.resize(61, 17);
    await expect
      .poll(() => {
        pane.enter("stty size");
        return pane.screen();
      })
      .toContain("17 61");
    leave();
    await pane.shows("status=0");
  });

  test("whatever the program had turned on is off afterwards", async () => {
    const before = await open(await startShell());
    pane.enter(
      "printf '\\033[?1049h\\033[?1003h\\033[?1006h\\033[?25l\\033[?1h\\033[?7l\\033[5;9r'; echo drawn",
    );
    await pane.shows("drawn");
    await expect.poll(() => [pane.value("alternate_on"), pane.value("mouse_any_flag")]).toEqual(["1", "1"]);
    leave();
    await pane.shows("status=0");
    await expectRestored(before);
  });

  test("the end of the program is told", async () => {
    const before = await open(await startShell());
    pane.enter("exit 7");
    await pane.shows("the program has ended (exit status 7)");
    await pane.shows("status=0");
    await expectRestored(before);
  });

  test("a daemon that is killed and comes back is met again", async () => {
    await open(await startShell());
    pane.enter("kept=still");
    await pane.shows(/kept=still\ninner\$/);
    await daemon.kill("SIGKILL");
    await pane.shows("the daemon is away");
    daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
    await pane.showsNot("the daemon is away");
    pane.enter("echo $kept there");
    await pane.shows("still there");
    leave();
    await pane.shows("status=0");
  });

  test("who does not want to wait for a daemon leaves with Ctrl-C", async () => {
    const before = await open(await startShell());
    await daemon.kill("SIGTERM");
    await pane.shows("the daemon is away");
    pane.press("C-c");
    await pane.shows("Try signalbox up");
    await pane.shows("status=69");
    await expectRestored(before);
    daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
  });

  test.each([
    ["an exception that nobody caught", "SIGUSR2", /boom[^]*status=1\b/],
    ["a signal", "SIGTERM", /status=143/],
    ["a terminal that hangs up", "SIGHUP", /status=129/],
  ])("%s puts the terminal back", async (_name, signal, ending) => {
    const throwing = `process.on("SIGUSR2",()=>{throw new Error("boom")})`;
    const flags = `--import 'data:text/javascript,${encodeURIComponent(throwing)}'`;
    const before = await open(await startShell(), flags);
    pane.enter("printf '\\033[?1049h\\033[?1003h\\033[?25l'; echo drawn");
    await pane.shows("drawn");
    await expect.poll(() => pane.value("mouse_any_flag")).toBe("1");
    process.kill(childOf(Number(pane.value("pane_pid"))), signal);
    await pane.shows(ending);
    await expectRestored(before);
  });
});

test("what has no terminal says so, and what to do instead", async () => {
  const { id } = await daemon.client.createSession({ harness: "demo", cwd: tmpdir(), prompt: "hello" });
  pane = new TmuxPane({ cols: 200 });
  pane.enter(command(id));
  await pane.shows("This session has no terminal.");
  await pane.shows(`signalbox logs -f ${id}`);
  await pane.shows("status=1");
  pane.close();
  expect(await runSignalbox(["attach", id, "--data-dir", daemon.dataDir])).toEqual({
    code: 1,
    stdout: "",
    stderr: "signalbox: attach needs a terminal\nFollow a session without one with signalbox logs -f ID.\n",
  });
});
