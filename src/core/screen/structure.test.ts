import headless from "@xterm/headless";
import { describe, expect, test } from "vitest";
import { readScreen } from "./read-screen.js";
import type { Screen } from "./screen.js";
import { screenOf } from "./screen-of.js";

const SIZE = { cols: 80, rows: 24 };
/** An agent that nobody has tuned anything to. */
const STRANGER = "stranger";

/** The cursor is where the last row ends, and to be seen unless it is hidden. */
async function shown(rows: readonly string[], cursor: "shown" | "hidden" = "hidden"): Promise<Screen> {
  const terminal = new headless.Terminal({ ...SIZE, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(rows.join("\r\n"), resolve);
  });
  const screen = screenOf(terminal, { title: "", cursorVisible: cursor === "shown" });
  terminal.dispose();
  return screen;
}

const RULER = "─".repeat(80);
const DIM = (text: string) => `\x1b[2m${text}\x1b[0m`;
const GREY = (text: string) => `\x1b[38;2;153;153;153m${text}\x1b[39m`;
const CURSOR = (char: string) => `\x1b[7m${char}\x1b[0m`;

describe("ghost text was not typed", () => {
  const claude = (input: string) => [
    "❯ hello",
    "",
    "● API Error: 400 scripted failure 400",
    "",
    RULER,
    `❯ ${input}`,
    RULER,
    "  ⏸ manual mode on · ? for shortcuts",
  ];
  const read = async (agent: string, rows: readonly string[]) => {
    const { activity, input } = readScreen(agent, await shown(rows));
    return [activity, input];
  };

  test.each([
    ["a hint after an error", `${CURSOR("O")}${DIM("nce fixed, resend your message")}`],
    ["a suggestion that goes on in the next row", `${CURSOR("S")}${DIM("hall")}\r\n  ${DIM("I go on?")}`],
    ["an example", `${CURSOR("T")}${DIM('ry "fix lint errors"')}`],
    ["nothing", CURSOR(" ")],
  ])("Claude Code: %s", async (_, input) => {
    expect(await read("claude", claude(input))).toEqual(["idle", ""]);
  });

  test("Claude Code: what was typed stands before what goes on with it", async () => {
    expect(await read("claude", claude(`fix the ${CURSOR("l")}${DIM("int errors")}`))).toEqual([
      "idle",
      "fix the",
    ]);
    expect(await read("claude", claude(`Once fixed, resend your message${CURSOR(" ")}`))).toEqual([
      "idle",
      "Once fixed, resend your message",
    ]);
  });

  test("Gemini CLI: a box of half blocks, which it draws where there are enough colours", async () => {
    const half = (char: string) => `\x1b[38;2;95;95;95m${char.repeat(80)}\x1b[39m`;
    const box = (input: string) => [
      half("▄"),
      "\x1b[48;2;95;95;95m > asked before\x1b[K\x1b[0m",
      half("▀"),
      "✦ Said before.",
      "",
      RULER,
      ` ${GREY("Shift+Tab to accept edits")}`,
      half("▄"),
      `\x1b[48;2;95;95;95m > ${input}\x1b[K\x1b[0m`,
      half("▀"),
      ` ${GREY("workspace (/directory)")}      ${GREY("sandbox")}`,
      " ~/proj                       no sandbox",
    ];
    const ghost = `\x1b[7m \x1b[27m\x1b[38;2;175;175;175m  Type your message or @path/to/file`;
    expect(await read("gemini", box(ghost))).toEqual(["idle", ""]);
    expect(await read("gemini", box("\x1b[38;2;255;255;255mhello"))).toEqual(["idle", "hello"]);
  });
});

describe("a dialog that no rule knows", () => {
  const AUTO_MODE = [
    ` ▐▛███▛█   Claude Code v2.1.326`,
    "",
    RULER,
    "  Make auto mode your default permission mode?",
    "",
    "  Auto mode lets Claude handle permission prompts automatically.",
    "",
    "  ❯ Yes, set auto mode as my default permission mode",
    "    No, keep manual mode",
  ];

  test("is a question without choices, with its rows as they are shown", async () => {
    expect(readScreen("claude", await shown(AUTO_MODE))).toEqual({
      activity: "question",
      basis: "structure",
      confidence: 0.5,
      evidence: [
        "list with a selection that no rule knows",
        "❯ Yes, set auto mode as my default permission mode",
      ],
      prompt: {
        fingerprint: expect.stringMatching(/^[\da-f]{16}$/) as string,
        title: "Make auto mode your default permission mode?",
        detail: AUTO_MODE.slice(3).join("\n").trim(),
        choices: [],
      },
      input: null,
    });
  });

  test("has one fingerprint, whatever is selected", async () => {
    const moved = AUTO_MODE.map((row) =>
      row.startsWith("  ❯ ") ? row.replace("❯", " ") : row.replace("    No", "  ❯ No"),
    );
    const [one, other] = await Promise.all([shown(AUTO_MODE), shown(moved)]);
    expect(readScreen("claude", other).prompt?.fingerprint).toBe(
      readScreen("claude", one).prompt?.fingerprint,
    );
  });

  test.each([
    [
      "a trust dialog with its hint at the top",
      "Trust this folder?",
      [
        RULER,
        "  Trust this folder?",
        "  ↑↓ navigate · Enter select · Esc exit",
        "",
        "  /srv/proj",
        "",
        "   ❯ Trust this folder",
        "     Remembered for this folder.",
        "",
        "     Don't trust",
        "     Asked again next launch.",
        "",
        RULER,
      ],
    ],
    [
      "a login menu without a hint",
      "Please login with your account to continue.",
      [
        "╭──────────────╮",
        "│ Welcome      │",
        "╰──────────────╯",
        "",
        "Please login with your account to continue.",
        "",
        "> Login",
        "  Exit",
      ],
    ],
    [
      "cards",
      "Welcome",
      [
        "   Welcome",
        "   Connect a model provider to get started.",
        "   ╭──────────────────────────────╮",
        "   │ ☺ Sign in                  → │",
        "   ╰──────────────────────────────╯",
        "   ╭──────────────────────────────╮",
        "   │ ⚷ Bring your own provider    │",
        "   ╰──────────────────────────────╯",
        "     ↑/↓ navigate, Enter to select, Ctrl+C to exit",
      ],
    ],
    [
      "a key to press",
      "New here? You can create an account from the login page.",
      [
        "  New here? You can create an account from the login page.",
        "",
        " → Login to continue",
        "",
        "   Press return to open your browser",
      ],
    ],
  ])("%s", async (_, title, rows) => {
    const { activity, basis, prompt } = readScreen(STRANGER, await shown(rows));
    expect([activity, basis, prompt?.title, prompt?.choices]).toEqual(["question", "structure", title, []]);
  });

  test.each([
    ["Would you like to log in to Amp? [(y)es, (n)o]: "],
    ["Overwrite it? [y/N] "],
    ["Are you sure you want to continue connecting (yes/no/[fingerprint])? "],
    ["Enter your Anthropic API key: "],
    ["Password: "],
    ["Password: ******"],
    ["? Paste the code from your browser > "],
  ])("a line with the cursor behind it: %s", async (row) => {
    const screen = await shown(["$ stranger", "Starting login flow...", row], "shown");
    const { activity, basis, prompt } = readScreen(STRANGER, screen);
    expect([activity, basis, prompt?.choices]).toEqual(["question", "structure", []]);
  });
});

describe("what is no dialog", () => {
  const MENU = ["Which one?", "❯ 1. Yes", "  2. No", "", "Enter to select · ↑/↓ to navigate · Esc to cancel"];
  const COMPLETED = ["    /models Switch", "", "  ↑↓ navigate • Enter/Tab select • Esc cancel"];
  const SEND = '  send "/help" for commands | press enter to send';
  const unknownOf = async (rows: readonly string[], cursor: "shown" | "hidden" = "hidden") => {
    const { activity, basis, prompt } = readScreen(STRANGER, await shown(rows, cursor));
    expect([rows, activity, basis, prompt]).toEqual([rows, "unknown", "rule", null]);
  };

  test("text that looks like one, with an input box below it", async () => {
    await unknownOf([...MENU, "", RULER, "> "], "shown");
    await unknownOf([...MENU, "", RULER, `❯ ${CURSOR(" ")}`, RULER, "  ? for shortcuts"]);
    await unknownOf([...MENU, "", RULER, CURSOR(" "), RULER, "~/proj"]);
    await unknownOf([...MENU, "╭──────────────╮", `│ ❯${CURSOR(" ")}           │`, "╰──────────────╯"]);
  });

  test("an input box with a placeholder, and a list that completes what is typed", async () => {
    const frame = ["╭──────────────────────╮", "╰──────────────────────╯"];
    await unknownOf([
      "Which one?",
      frame[0] ?? "",
      `│ ● ${GREY("▋Ask anything")}       │`,
      frame[1] ?? "",
      "  ~/proj",
    ]);
    await unknownOf([
      RULER,
      `/model${CURSOR(" ")}`,
      RULER,
      "→ model    Select model",
      "  login    Log in",
      "~/proj",
    ]);
  });

  test("an input box whose cursor is away, above a list that completes what is typed", async () => {
    const frame = ["╭──────────────╮", "╰──────────────╯"] as const;
    await unknownOf([
      "Thinking (esc to interrupt)",
      frame[0],
      "│ ❯ /mo        │",
      frame[1],
      "",
      ...COMPLETED,
    ]);
    await unknownOf([...MENU, "", "Thinking", frame[0], "│ ❯ Ask me     │", frame[1], "  a-model"]);
  });

  test("a footer's hint below what turns", async () => {
    await unknownOf(["╭───────────────────╮", "│( ●    )  Thinking │", "╰───────────────────╯", DIM(SEND)]);
    await unknownOf(["Thinking", "", "  send q to exit, or", "  press enter to send"]);
  });

  test("text that a program has printed, and the cursor below it", async () => {
    await unknownOf([...MENU, ""], "shown");
    await unknownOf(["Overwrite it? [y/N]", ""], "shown");
    await unknownOf(["error: wrong password:", ""], "shown");
  });

  test("a pager, an editor, a list of processes, a compiler, a shell", async () => {
    await unknownOf([...MENU, CURSOR("menu.txt (END)")], "shown");
    await unknownOf([...MENU, "~", "~", '"menu.txt" 5L, 80B'], "shown");
    await unknownOf([
      "  PID USER      PRI  NI  VIRT   RES S CPU%",
      "\x1b[46m    1 root       20   0  2616  1536 S  0.0\x1b[K\x1b[0m",
      "   14 root       20   0  7236  3840 S  0.0",
      "F1\x1b[46mHelp  \x1b[0mF2\x1b[46mSetup \x1b[0mF10\x1b[46mQuit\x1b[0m",
    ]);
    await unknownOf([
      "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
      "> 3 | x();",
      "    | ^",
      "  4 | y();",
    ]);
    await unknownOf(["> quoted text", "  that goes on", "", "and then more"]);
    await unknownOf(["dev@box:~$ "], "shown");
  });

  test("where no agent runs, nothing is a question", async () => {
    const screen = await shown(["Overwrite it? [y/N] "], "shown");
    expect(readScreen(null, screen).activity).toBe("unknown");
    expect(readScreen(null, await shown(MENU)).activity).toBe("unknown");
  });
});
