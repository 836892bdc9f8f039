import { describe, expect, test } from "vitest";
import { goldenFile } from "../../../test/golden/golden.js";
import { PlayedTerminal } from "../../../test/golden/terminal/played-terminal.js";
import { isPromptOf, type ScreenReading } from "../../core/index.js";

/** A Claude that works. */
function claude(): PlayedTerminal {
  const session = new PlayedTerminal({ args: ["claude"] });
  session.print();
  session.hook("SessionStart");
  session.screen("idle");
  session.hook("UserPromptSubmit");
  session.log();
  return session;
}

function callOf(command: string) {
  return { tool_name: "Bash", tool_input: { command } };
}

/** The hooks of a command that has to be asked for. */
function tell(session: PlayedTerminal, command: string): void {
  session.hook("PreToolUse", { ...callOf(command), tool_use_id: `call ${command}` });
  session.hook("PermissionRequest", callOf(command));
}

function show(session: PlayedTerminal, detail: string, title = "Bash command"): void {
  session.screen("approval", { prompt: { fingerprint: `fp ${detail}`, title, detail, choices: [] } });
}

function answerTo(fingerprint: string | null, more: object = {}): string {
  const choice = { type: "meaning", meaning: "approve" };
  return `type ${JSON.stringify({ type: "choice", fingerprint, ...more, choice })}`;
}

const MCP = { tool_name: "mcp__notes__add", tool_input: { text: "x" } };

describe("several requests", () => {
  test("the second one waits for its own dialog, and the answer goes to the one that is shown", () => {
    const session = claude();
    tell(session, "rm -rf build");
    show(session, "rm -rf build");
    session.log();
    tell(session, "git status");
    // The same dialog, told once more.
    session.screen("approval", {
      prompt: { fingerprint: "fp rm -rf build", title: "Bash command", detail: "rm -rf build", choices: [] },
      isSteady: true,
    });
    session.tell({ type: "approve_action" });
    expect(session.log()).toEqual([
      "hooks: tool_started call git status Bash",
      "waiting_approval -> streaming",
      answerTo("fp rm -rf build"),
      "= streaming",
    ]);
    session.hook("PostToolUse", { ...callOf("rm -rf build"), tool_use_id: "call rm -rf build" });
    session.typed("choice");
    show(session, "git status");
    session.tell({ type: "approve_action" });
    expect(session.log()).toEqual([
      "hooks: tool_finished call rm -rf build true",
      "about run-1-ask-2: Bash | git status",
      "screen: ask:command run-1-ask-2",
      "streaming -> waiting_approval",
      "waiting_approval -> streaming",
      answerTo("fp git status"),
      "= streaming",
    ]);
  });

  test("a request whose hook comes first is not taken for the dialog of another one", () => {
    const session = claude();
    tell(session, "git status");
    show(session, "rm -rf build");
    tell(session, "rm -rf build");
    expect(session.log().slice(3)).toEqual([
      "streaming -> waiting_approval",
      "screen: ask_closed run-1-ask-1",
      "waiting_approval -> streaming",
      "about run-1-ask-2: Bash command | rm -rf build",
      "screen: ask:tool run-1-ask-2",
      "streaming -> waiting_approval",
      "hooks: tool_started call rm -rf build Bash",
      "about run-1-ask-2: Bash | rm -rf build",
      "= waiting_approval",
    ]);
    show(session, "git status");
    expect(session.log()).toEqual([
      "screen: ask_closed run-1-ask-2",
      "waiting_approval -> streaming",
      "about run-1-ask-3: Bash | git status",
      "screen: ask:command run-1-ask-3",
      "streaming -> waiting_approval",
      "= waiting_approval",
    ]);
  });

  test("where dialogs do not tell them apart, each is described by its own words", () => {
    const session = claude();
    session.hook("PermissionRequest", MCP);
    session.hook("PermissionRequest", { ...MCP, tool_name: "mcp__notes__clear" });
    session.log();
    show(session, "notes - clear", "Tool use");
    expect(session.log()).toEqual([
      "screen: ask_closed run-1-ask-1",
      "waiting_approval -> streaming",
      "about run-1-ask-2: Tool use | notes - clear",
      "screen: ask:tool run-1-ask-2",
      "streaming -> waiting_approval",
      "= waiting_approval",
    ]);
  });

  test("a dialog that comes back is not that of the request behind it", () => {
    const session = claude();
    tell(session, "rm -rf build");
    show(session, "rm -rf build");
    session.hook("PermissionRequest", MCP);
    session.screen("working");
    session.log();
    show(session, "rm -rf build");
    expect(session.log()).toEqual([
      "about run-1-ask-2: Bash command | rm -rf build",
      "screen: ask:tool run-1-ask-2",
      "streaming -> waiting_approval",
      "= waiting_approval",
    ]);
  });

  test("one that waits is forgotten with its call, and with the turn; and asked where nothing else is known", () => {
    const session = claude();
    tell(session, "sleep 1");
    show(session, "sleep 1");
    tell(session, "sleep 2");
    session.hook("PostToolUse", { ...callOf("sleep 2"), tool_use_id: "call sleep 2" });
    tell(session, "sleep 3");
    session.screen("working");
    session.screen("unknown", { isSteady: true });
    expect(session.log().slice(-4)).toEqual([
      "about run-1-ask-2: Bash | sleep 3",
      "screen: ask:command run-1-ask-2",
      "streaming -> waiting_approval",
      "= waiting_approval",
    ]);
    tell(session, "sleep 4");
    session.hook("Stop");
    session.hook("UserPromptSubmit");
    session.screen("unknown", { isSteady: true });
    expect(session.status).toBe("streaming");
  });
});

test("an answer to a request that was not seen yet says what it answers; not taken, it is asked anew", () => {
  const session = claude();
  session.hook("PermissionRequest", MCP);
  session.log();
  session.tell({ type: "approve_action" });
  const asked = { title: MCP.tool_name, detail: '{\n  "text": "x"\n}', note: "" };
  expect(session.log()).toEqual(["waiting_approval -> streaming", answerTo(null, { asked }), "= streaming"]);
  show(session, "notes - add", "Tool use");
  session.typed("choice", false);
  session.tell({ type: "ask_closed", askId: "run-1-ask-1" });
  show(session, "notes - add", "Tool use");
  expect(session.log()).toEqual([
    `about run-1-ask-2: ${MCP.tool_name} | ${asked.detail}`,
    "screen: ask:use_mcp_server run-1-ask-2",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
  session.tell({ type: "approve_action" });
  expect(session.log()[1]).toBe(answerTo("fp notes - add"));
});

describe("the words of a prompt", () => {
  const bash = (detail: string, note = "") => ({ title: "Bash", detail, note });
  const command = (...rows: readonly string[]) => ({ title: "Bash command", detail: rows.join("\n") });
  const QUESTION = "Do you want to proceed?";

  test.each([
    ["it", command("git status", QUESTION), bash("git status"), true],
    ["it, with what it is for", command("look", "git status", QUESTION), bash("git status", "look"), true],
    ["it, with that below", command("git status", "look", QUESTION), bash("git status", "look"), true],
    ["it, wrapped", command("look", "git", "status", QUESTION), bash("git status", "look"), true],
    ["the beginning of another", command("git status; rm x", QUESTION), bash("git status"), false],
    [
      "a row of another, or what that is for",
      command("git status", "rm x", QUESTION),
      bash("git status"),
      false,
    ],
    ["the last row of another", { title: "git status", detail: QUESTION }, bash("git status"), false],
    ["another", command("rm x", QUESTION), bash("git status"), false],
  ])("a command: %s", (_name, prompt, asked, isIt) => {
    expect(isPromptOf(prompt, asked)).toBe(isIt);
  });

  test.each([
    ["new.txt", "/project/new.txt", true],
    ["new.txt", "/project/renew.txt", false],
    ["sub/new.txt", "/project/new.txt", false],
    ["", "/project/", false],
  ])("a file: %s for %s", (shown, detail, isIt) => {
    const prompt = { title: "Create file", detail: `${shown}\n1 x\nDo you want to create it?` };
    expect(isPromptOf(prompt, { title: "Write", detail, note: "" })).toBe(isIt);
  });

  const FOLDERS = ["recorded-claude", "claude-120x40", "claude-80x24", "claude-60x28", "claude-80x14"];

  test.each(FOLDERS)("every dialog of a real agent says what it asks: %s", (folder) => {
    const readings = JSON.parse(goldenFile(`screens/${folder}/readings.json`)) as Record<
      string,
      ScreenReading
    >;
    const asked = [
      bash("touch one.txt && sleep 5 && echo hi", "run a command"),
      bash("touch tui.txt && echo hi", "run a command"),
      bash("touch resized.txt", "run a command"),
      bash(
        "touch long.txt && echo a-command-that-goes-on-and-on-and-on-without-an-end && " +
          "printf '%s\\n' one two three four five six seven eight nine ten && echo 1. Yes && echo 2. No",
        "run a command",
      ),
      { title: "Write", detail: "/project/new.txt", note: "" },
      { title: "AskUserQuestion", detail: "Which colour?\nWhich sizes?", note: "" },
    ];
    const dialogs = Object.entries(readings).filter(
      ([name, { prompt }]) => prompt && /permission(?!-escaped)|question/.test(name),
    );
    const unknown = dialogs.filter(
      ([, { prompt }]) => asked.filter((each) => prompt && isPromptOf(prompt, each)).length !== 1,
    );
    expect(dialogs.length).toBeGreaterThan(1);
    expect(unknown.map(([name]) => name)).toEqual([]);
  });
});
