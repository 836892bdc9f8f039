/** `signalbox ask` at a real terminal, and on a key of real shells; with a real daemon and the offline model. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtProgram } from "../built-program.js";
import { PromptTerminal } from "./prompt-terminal.js";
import { TestDaemon } from "./test-daemon.js";

const PROGRAM = builtProgram("cli/main.js");
/** Keys that come together are taken for something pasted. */
const KEY_PAUSE_MS = 200;
const ENTER = "\r";
const TAB = "\t";
const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
const LOW_HINT = "Enter runs it, Tab inserts it, Esc leaves.";
const HIGH_HINT = "Enter, twice, runs it, Tab inserts it, Esc leaves.";
const AGAIN = "It is dangerous: Enter once more within 5 s runs it. Esc leaves.";

let root: string;
let cwd: string;
let daemon: TestDaemon;
let terminal: PromptTerminal | null = null;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-ask-")));
  daemon = await TestDaemon.start({ dataDir: join(root, "data") });
});
beforeEach(async () => {
  cwd = await mkdtemp(join(root, "cwd-"));
});
afterEach(() => {
  terminal?.end();
  terminal = null;
});
afterAll(async () => {
  await daemon.end();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

/** Nothing of the person who runs the tests, but where programs are. */
function environment(): Record<string, string> {
  const { PATH = "" } = process.env;
  const ours = { SIGNALBOX_DATA_DIR: daemon.dataDir, NO_COLOR: "1", MARK: "yes" };
  return {
    PATH,
    HOME: root,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    PS1: "PROMPT> ",
    ...ours,
  };
}

function open(command: string, args: readonly string[], more: Record<string, string> = {}): PromptTerminal {
  terminal = new PromptTerminal(command, args, { cwd, env: { ...environment(), ...more } });
  return terminal;
}

function ask(...args: readonly string[]): PromptTerminal {
  return open(process.execPath, [PROGRAM, "ask", "--model", "demo", ...args]);
}

async function askPiped(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, "ask", "--model", "demo", ...args],
    {
      cwd,
      env: environment(),
    },
  );
  return stdout;
}

async function sessionsHere(): Promise<readonly { readonly id: string; readonly status: string }[]> {
  const { items } = await daemon.client.listSessions();
  return items.filter((session) => session.cwd === cwd);
}

describe("at a terminal", () => {
  test("Enter runs the command in the person's shell and terminal, and its exit status is passed on", async () => {
    const shown = ask("suggest", "`echo got-$MARK; test -t 0 && exit 7`");
    await shown.shows(LOW_HINT);
    shown.type(ENTER);
    expect(await shown.exit).toBe(7);
    expect(shown.lines).toEqual([
      "This would do it.",
      "$ echo got-$MARK; test -t 0 && exit 7",
      "  What stands between the backquotes",
      "  danger low",
      "  confidence medium: The demo always answers the same.",
      "got-yes",
    ]);
  });

  test("a dangerous one is run by two Enters within five seconds, and by nothing less", async () => {
    const shown = ask("dangerous", "`touch made`");
    await shown.shows(HIGH_HINT);
    expect(shown.lines.slice(-3)).toEqual([
      "  danger high: What is deleted is gone.",
      "  confidence medium: The demo always answers the same.",
      HIGH_HINT,
    ]);
    shown.type(ENTER);
    await shown.shows(AGAIN);
    // The time passes, and the first Enter with it.
    await shown.shows(HIGH_HINT);
    shown.type(ENTER);
    await shown.shows(AGAIN);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    shown.type(ENTER);
    expect(await shown.exit).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });

  test.each([
    ["Tab prints it", TAB, 0, ["touch made"]],
    ["Esc leaves", ESCAPE, 0, []],
    ["Ctrl-C leaves", CTRL_C, 130, []],
  ])("%s, and nothing is run", async (_name, key, exitCode, printed) => {
    const shown = ask("suggest", "`touch made`");
    await shown.shows(LOW_HINT);
    // Neither what is pasted nor a key that begins like Esc is an answer.
    for (const typed of ["yes\r", "\u001b[A", key]) {
      shown.type(typed);
      await sleep(KEY_PAUSE_MS);
    }
    expect(await shown.exit).toBe(exitCode);
    expect(shown.lines.slice(5)).toEqual(printed);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("who asks again is told which conversation goes on, and how to begin another", async () => {
    await askPiped("suggest", "`true`");
    const again = ask("suggest", "`true`");
    await again.shows(LOW_HINT);
    expect(again.lines[0]).toMatch(/^continues the conversation of \d\d:\d\d; --new begins another$/);
    again.type(ESCAPE);
    expect(await again.exit).toBe(0);
    const other = ask("--new", "suggest", "`true`");
    await other.shows(LOW_HINT);
    expect(other.count("continues the conversation")).toBe(0);
  });

  test("what failed is tried again by a key, as often as one wants", async () => {
    const shown = ask("fail");
    await shown.shows("r retries, Esc leaves.");
    expect(shown.count("The demo fails when it is told to.")).toBe(1);
    await sleep(KEY_PAUSE_MS);
    shown.type("r");
    await shown.shows("The demo fails when it is told to.", 2);
    await shown.shows("r retries, Esc leaves.");
    await sleep(KEY_PAUSE_MS);
    shown.type(ESCAPE);
    expect(await shown.exit).toBe(1);
  });

  test("tools are asked for, interrupted first, and then the turn", async () => {
    const shown = ask("Show me.");
    await shown.shows("Allow? ");
    shown.type(`y${ENTER}`);
    await shown.shows("[tool] Run a command");
    shown.type(CTRL_C);
    await shown.shows("[tool] interrupted; once more ends the turn");
    await shown.shows("[approval] Write signalbox-demo.md");
    await shown.shows("Allow? ", 2);
    shown.type(CTRL_C);
    expect(await shown.exit).toBe(130);
    const [session] = await sessionsHere();
    await expect.poll(async () => (await daemon.client.getSession(session?.id ?? "")).status).toBe("paused");
    expect(existsSync(join(cwd, "signalbox-demo.md"))).toBe(false);
  });

  test("without a text it asks for one", async () => {
    const shown = ask();
    await shown.shows("Ask: ");
    shown.type(`suggest \`exit 3\`${ENTER}`);
    await shown.shows(LOW_HINT);
    shown.type(ENTER);
    expect(await shown.exit).toBe(3);
  });
});

describe("conversations", () => {
  test("each folder has one, which the next question goes on with; --new archives it", async () => {
    expect(await askPiped("suggest `echo 1`", "--json")).toBe(
      `${JSON.stringify({
        text: "This would do it.",
        suggestion: {
          command: "echo 1",
          description: "What stands between the backquotes",
          danger: "low",
          dangerNotes: "",
          confidence: "medium",
          confidenceNotes: "The demo always answers the same.",
        },
      })}\n`,
    );
    const [first] = await sessionsHere();
    const talkOf = async (): Promise<string> =>
      (await daemon.client.getSession(first?.id ?? "")).state.harnessSessionId ?? "";
    const talk = await talkOf();
    // What was suggested before is not this question's.
    const answer: unknown = JSON.parse(await askPiped("/model", "--json"));
    const text: unknown = expect.stringContaining("The model is demo.");
    expect(answer).toEqual({ text, suggestion: null });
    const file = join(daemon.dataDir, "conversations", `${talk}.jsonl`);
    await askPiped("suggest `echo 2`");
    expect(await readFile(file, "utf8")).toMatch(/echo 1[^]*echo 2/);
    await askPiped("suggest `echo 3`", "--new");
    expect(await sessionsHere()).toMatchObject([{ id: first?.id, status: "completed" }]);
    expect(await talkOf()).not.toBe(talk);
    const archived = (await readdir(join(daemon.dataDir, "conversations"))).filter((name) =>
      name.startsWith(talk),
    );
    expect(archived.map((name) => name.replace(/\d{10,}/, "AT"))).toEqual([`${talk}.AT.archived.jsonl`]);
  });

  test("an agent that has ended meanwhile goes on; one that is talked to elsewhere is left alone", async () => {
    await askPiped("suggest `echo 1`");
    const [first] = await sessionsHere();
    await daemon.client.cancel(first?.id ?? "");
    await askPiped("suggest `echo 2`");
    expect(await sessionsHere()).toMatchObject([{ id: first?.id, status: "completed" }]);
    await daemon.client.sendMessage(first?.id ?? "", { text: "Show me." });
    await expect.poll(async () => (await sessionsHere())[0]?.status).toBe("waiting_approval");
    await askPiped("suggest `echo 3`");
    expect((await sessionsHere()).map(({ status }) => status)).toEqual(["completed", "waiting_approval"]);
    await daemon.client.cancel(first?.id ?? "");
  });
});

test("run --continue tells the folder's last session, and shows only what follows", async () => {
  const run = async (prompt: string): Promise<readonly string[]> => {
    const args = [PROGRAM, "run", "script", prompt, "--continue"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: environment() });
    return stdout.split("\n");
  };
  expect(await run("one")).toEqual(["one", ""]);
  expect(await run("two")).toEqual(["two", ""]);
  expect(await sessionsHere()).toMatchObject([{ status: "completed" }]);
  cwd = await mkdtemp(join(root, "other-"));
  expect(await run("three")).toEqual(["three", ""]);
  expect(await sessionsHere()).toHaveLength(1);
});

describe("the terminal is as it was", () => {
  test.each(["leave", "SIGTERM", "SIGINT"] as const)("after %s", async (how) => {
    const shell = open("bash", ["--norc", "--noprofile", "-i"]);
    await shell.shows("PROMPT>");
    shell.type(`echo "is $(stty -g | cksum)"${ENTER}`);
    await shell.shows("PROMPT>", 2);
    const before = shell.lines.find((line) => /^is \d/.test(line)) ?? "nothing";
    const child = `${process.execPath} ${PROGRAM} ask --model demo`;
    shell.type(`${child} 'suggest \`true\`' & fg >/dev/null; echo "is $(stty -g | cksum)"${ENTER}`);
    await shell.shows(LOW_HINT);
    const pid = Number(/^\[1\] (\d+)$/m.exec(shell.lines.join("\n"))?.[1]);
    if (how === "leave") shell.type(CTRL_C);
    else process.kill(pid, how);
    await shell.shows(before, 2);
  });
});

interface ShellCase {
  readonly name: string;
  readonly args: readonly string[];
  readonly init: string;
  readonly key: string;
}

const SIGNALBOX = `${process.execPath} ${PROGRAM}`;
const SHELLS: readonly ShellCase[] = [
  {
    name: "bash",
    args: ["--norc", "--noprofile", "-i"],
    init: `eval "$(${SIGNALBOX} init bash)"`,
    key: "\u0018i",
  },
  { name: "zsh", args: ["-f", "-i"], init: `eval "$(${SIGNALBOX} init zsh)"`, key: "\u0018i" },
  {
    name: "fish",
    args: ["--no-config", "-i"],
    init: `${SIGNALBOX} init fish | source; function fish_prompt; echo -n 'PROMPT> '; end`,
    key: "\u001bi",
  },
];

function isInstalled(name: string): boolean {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, name)));
}

const CASES = SHELLS.map((shell) => {
  const isHere = shell.name === "bash" || isInstalled(shell.name);
  return {
    ...shell,
    isHere,
    title: isHere ? shell.name : `${shell.name} (skipped: it is not installed here)`,
  };
});

describe.each(CASES)("on a key of $title", ({ name, args, init, key, isHere }) => {
  const testHere = test.skipIf(!isHere);

  async function start(more: Record<string, string> = {}): Promise<PromptTerminal> {
    const shell = open(name, args, more);
    // What is typed before the shell reads it may be lost.
    await expect.poll(() => shell.lines.length).toBeGreaterThan(0);
    await sleep(KEY_PAUSE_MS);
    shell.type(`${init}; echo ready-$MARK${ENTER}`);
    await shell.shows("ready-yes");
    await sleep(KEY_PAUSE_MS);
    return shell;
  }

  /** Types a question, and presses the key. */
  async function press(shell: PromptTerminal, question: string, pressed = key): Promise<void> {
    shell.type(question);
    await shell.shows(question);
    await sleep(KEY_PAUSE_MS);
    shell.type(pressed);
  }

  testHere("Tab puts the command on the line, where Enter runs it", async () => {
    const shell = await start();
    await press(shell, "suggest `echo got-$MARK`");
    await shell.shows(LOW_HINT);
    shell.type(TAB);
    await shell.shows("PROMPT> echo got-$MARK");
    expect(shell.count("got-yes")).toBe(0);
    await sleep(KEY_PAUSE_MS);
    shell.type(ENTER);
    await shell.shows("got-yes");
  });

  testHere("Enter runs it in this very shell; Esc leaves what was typed", async () => {
    const shell = await start();
    await press(shell, "suggest `cd /; echo in-$PWD-$MARK`");
    await shell.shows(LOW_HINT);
    shell.type(ENTER);
    await shell.shows("in-/-yes");
    await sleep(KEY_PAUSE_MS);
    await press(shell, "suggest `echo never`");
    await shell.shows(LOW_HINT);
    shell.type(ESCAPE);
    await shell.shows("PROMPT> suggest `echo never`");
    expect(shell.lines.filter((line) => line === "never")).toEqual([]);
  });

  testHere("a dangerous one is not run by one Enter", async () => {
    const shell = await start();
    await press(shell, "dangerous `touch made`");
    await shell.shows(HIGH_HINT);
    shell.type(ENTER);
    await shell.shows(AGAIN);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    shell.type(ENTER);
    await expect.poll(() => existsSync(join(cwd, "made"))).toBe(true);
  });

  testHere("another key, when SIGNALBOX_ASK_KEY names one", async () => {
    const notation = { bash: "\\C-xy", zsh: "^Xy", fish: "\u001by" }[name] ?? "";
    const shell = await start({ SIGNALBOX_ASK_KEY: notation });
    await press(shell, "suggest", name === "fish" ? "\u001by" : "\u0018y");
    await shell.shows(LOW_HINT);
    shell.type(ESCAPE);
    await shell.shows("PROMPT> suggest");
  });
});
