/**
 * A small program that looks to a terminal as Claude Code does: an input box, a spinner, dialogs, and hooks if it is given
 * any. What it takes is written to the file `SMALL_AGENT_LOG`, a line each.
 *
 * A prompt that begins with `ask ` asks before it goes on, with `draw ` too, but draws half of its dialog first and does not
 * listen before it has drawn all of it; one with `work ` and a number works so many milliseconds, and `/exit` ends it;
 * after `deaf` it reads nothing more, and looks as if it would; on SIGUSR2 it asks its terminal what it is. `--trust` makes it ask first whether the folder is trusted,
 * in a list that knows only arrows.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";

type Mode = "idle" | "working" | "asking" | "trusting";

const RULER = "─".repeat(100);
const DRAW_MS = 60;
const WORK_MS = 300;
const HALF_MS = 2_000;

const hooks = hookCommands(process.argv);
const transcript: string[] = ["✻ Worked for 1s · done 8:00 AM"];
let mode: Mode = process.argv.includes("--trust") ? "trusting" : "idle";
let box = "";
let asked = "";
let isTrusted = false;
let isHalfDrawn = false;
let isDeaf = false;
let spins = 0;
let work: NodeJS.Timeout | null = null;

function hookCommands(args: readonly string[]): readonly string[] {
  const given = args[args.indexOf("--settings") + 1];
  if (!args.includes("--settings") || given === undefined) return [];
  const parsed = JSON.parse(given) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  return Object.values(parsed.hooks)[0]?.[0]?.hooks.map(({ command }) => command) ?? [];
}

function tellHook(name: string, more: object = {}): void {
  const input = JSON.stringify({ hook_event_name: name, session_id: "small", ...more });
  for (const command of hooks) execFileSync("sh", ["-c", command], { input });
}

function note(line: string): void {
  appendFileSync(process.env["SMALL_AGENT_LOG"] ?? "/dev/null", `${JSON.stringify(line)}\n`);
}

function draw(): void {
  process.stdout.write(
    `\x1b[?2026h\x1b[2J\x1b[H${[...transcript.slice(-15), ...live()].join("\r\n")}\x1b[?2026l`,
  );
}

/** What is below the transcript. */
function live(): readonly string[] {
  switch (mode) {
    case "idle":
      return ["", ...inputBox(), `  ⏸ manual mode on${box === "" ? " · ? for shortcuts" : ""}`];
    case "working":
      return [
        `${spins % 2 === 0 ? "✢" : "✻"} Scurrying…`,
        "",
        ...inputBox(),
        "  ⏸ manual mode on · esc to interrupt",
      ];
    case "asking":
      return [
        RULER,
        " Bash command",
        "",
        ` ${isHalfDrawn ? asked.slice(0, asked.length / 2) : asked}`,
        "",
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. No",
        "",
        HINT,
      ];
    case "trusting":
      return [
        RULER,
        " Accessing workspace:",
        "",
        ` ${isTrusted ? " " : "❯"} No, exit`,
        ` ${isTrusted ? "❯" : " "} Yes, I trust this folder`,
        "",
        " Enter to confirm · Esc to cancel",
      ];
  }
}

const HINT = " Esc to cancel · Tab to amend";

function inputBox(): readonly string[] {
  const lines = box.split("\n").map((line, at) => (at === 0 ? `❯ ${line}` : `  ${line}`));
  return [RULER, ...lines, RULER];
}

function take(key: string): void {
  const pasted = /^\x1b\[200~([^]*)\x1b\[201~$/.exec(key)?.[1];
  if (mode === "asking") decide(key);
  else if (mode === "trusting") trust(key);
  else if (key === "\x1b" && mode === "working") interrupt();
  else if (key === "\r") enter();
  else if (key === "\x15") box = box.split("\n").slice(0, -1).join("\n");
  else if (key === "\x7f") box = box.slice(0, -1);
  else if (pasted !== undefined) box += pasted;
  else if (!/^[\x00-\x1f]/.test(key)) box += key;
  draw();
}

function enter(): void {
  if (box === "" || mode !== "idle") return;
  const prompt = box;
  box = "";
  if (prompt === "/exit") leave();
  note(`prompt ${prompt}`);
  transcript.push("", ...prompt.split("\n").map((line, at) => (at === 0 ? `❯ ${line}` : `  ${line}`)));
  tellHook("UserPromptSubmit", { prompt });
  mode = "working";
  isDeaf = prompt === "deaf";
  const [, workMs] = /^work (\d+)/.exec(prompt) ?? [];
  const [, how, command] = /^(ask|draw) (.*)/.exec(prompt) ?? [];
  const next = () => (command === undefined ? finish(`said ${prompt.length}`) : ask(command, how === "draw"));
  work = setTimeout(next, Number(workMs ?? WORK_MS));
}

function ask(command: string, isDrawnSlowly: boolean): void {
  asked = command;
  mode = "asking";
  isHalfDrawn = isDrawnSlowly;
  if (isDrawnSlowly)
    setTimeout(() => {
      isHalfDrawn = false;
      draw();
    }, HALF_MS);
  const call = { tool_name: "Bash", tool_input: { command } };
  tellHook("PreToolUse", { ...call, tool_use_id: `call ${command}` });
  tellHook("PermissionRequest", call);
  draw();
}

function decide(key: string): void {
  if (isHalfDrawn) return;
  if (key === "1" || key === "\r") {
    note(`ran ${asked}`);
    transcript.push(`● Ran ${asked}`);
    mode = "working";
    tellHook("PostToolUse", { tool_name: "Bash", tool_input: {}, tool_use_id: `call ${asked}` });
    work = setTimeout(() => finish("done"), WORK_MS);
  } else if (key === "2" || key === "\x1b") {
    note(`rejected ${asked}`);
    transcript.push("● Bash", "  ⎿  User rejected it");
    mode = "idle";
  } else note(`typed into the dialog: ${key}`);
}

function trust(key: string): void {
  if (key === "\x1b[B") isTrusted = true;
  else if (key === "\x1b[A") isTrusted = false;
  else if (key === "\r" && !isTrusted) leave();
  else if (key === "\r") {
    note("trusted");
    mode = "idle";
    tellHook("SessionStart");
  }
}

function interrupt(): void {
  if (work) clearTimeout(work);
  note("interrupted");
  transcript.push("  ⎿  Interrupted · What should Claude do instead?");
  mode = "idle";
}

function finish(text: string): void {
  transcript.push(`● ${text}`, "✻ Worked for 1s · done 8:00 AM");
  mode = "idle";
  if (isDeaf) process.stdin.pause();
  tellHook("Stop", { background_tasks: [] });
  draw();
}

function leave(): never {
  process.stdout.write("\x1b[?2004l\x1b[2J\x1b[H\r\nbye\r\n");
  process.exit(0);
}

let unread = "";

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  unread += text;
  const keys = /^(?:\x1b\[200~[^]*?\x1b\[201~|\x1b\[(?!200~)[0-9;]*[A-Za-z~]|\x1b(?!\[)|[^\x1b])/u;
  for (let key = keys.exec(unread)?.[0]; key !== undefined; key = keys.exec(unread)?.[0]) {
    unread = unread.slice(key.length);
    take(key);
  }
});
setInterval(() => {
  spins += 1;
  if (mode === "working") draw();
}, DRAW_MS);
process.on("SIGUSR2", () => process.stdout.write("\x1b[c"));
process.stdout.write("\x1b[?2004h");
if (mode === "idle") tellHook("SessionStart");
draw();
