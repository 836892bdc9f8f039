/**
 * A small program for the whole screen that no rule knows: neither its box, nor its work, nor what it begins with. What it
 * takes is written to the file `STRANGE_AGENT_LOG`, a line each: pastes whole, and every other key.
 *
 * `--notice` makes it begin with a page that has no structure, which any key turns; `--menu` with a menu of its own, which Enter
 * answers.
 */
import { appendFileSync } from "node:fs";

type Page = "notice" | "menu" | "box" | "work";

const WIDTH = 60;
const FRAMES = ["◴", "◷", "◶", "◵"];
const FRAME_MS = 150;
const WORK_MS = 600;

let page: Page = process.argv.includes("--notice")
  ? "notice"
  : process.argv.includes("--menu")
    ? "menu"
    : "box";
let held = "";
let ticks = 0;

function rows(): readonly string[] {
  switch (page) {
    case "notice":
      return ["zorble 0.3", "", "Something about it is new today,", "and it wants to be read first", ""];
    case "menu":
      return [
        "zorble 0.3",
        "",
        "Make quiet mode your default?",
        "",
        "  ▶ Make it the default",
        "    Leave it as it is",
        "",
        "enter to pick",
      ];
    case "box":
      return [
        "zorble 0.3 — ready when you are",
        "",
        `╔${"═".repeat(WIDTH)}╗`,
        `║ ▸ ${held
          .replaceAll("\n", " ")
          .slice(0, WIDTH - 4)
          .padEnd(WIDTH - 3)}║`,
        `╚${"═".repeat(WIDTH)}╝`,
        "ctrl+o options   ctrl+q quit",
      ];
    case "work":
      return ["zorble 0.3", "", `${FRAMES[ticks % FRAMES.length]} mulling it over`, "", "ctrl+q quit"];
  }
}

function draw(): void {
  // Where there is nothing to type there is no cursor.
  const at = 5 + Math.min(held.length, WIDTH - 4);
  const cursor = page === "box" ? `\x1b[4;${at}H\x1b[?25h` : "\x1b[?25l";
  process.stdout.write(`\x1b[?2026h\x1b[H\x1b[2J${rows().join("\r\n")}${cursor}\x1b[?2026l`);
}

function note(line: string): void {
  appendFileSync(process.env["STRANGE_AGENT_LOG"] ?? "/dev/null", `${JSON.stringify(line)}\n`);
}

function take(key: string): void {
  const pasted = /^\x1b\[200~([^]*)\x1b\[201~$/.exec(key)?.[1];
  note(pasted === undefined ? `key ${key}` : `paste ${pasted}`);
  if (key === "\x11") {
    process.stdout.write("\x1b[?25h\x1b[?2004l\x1b[?1049l");
    process.exit(0);
  }
  if (page === "notice" || (page === "menu" && key === "\r")) page = "box";
  else if (page === "box" && pasted !== undefined) held += pasted;
  else if (page === "box" && key === "\r" && held !== "") work();
  draw();
}

function work(): void {
  note(`took ${held}`);
  held = "";
  page = "work";
  setTimeout(() => {
    page = "box";
    draw();
  }, WORK_MS);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdout.write("\x1b[?1049h\x1b[?2004h");
draw();
let unread = "";
process.stdin.on("data", (text: string) => {
  unread += text;
  for (;;) {
    const found = /^(?:\x1b\[200~[^]*?\x1b\[201~|(?!\x1b\[200~)[^])/.exec(unread)?.[0];
    if (found === undefined) return;
    unread = unread.slice(found.length);
    take(found);
  }
});
setInterval(() => {
  ticks += 1;
  if (page === "work") draw();
}, FRAME_MS);
