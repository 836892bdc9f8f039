/**
 * A program in a terminal that nobody has made a rule for. It shows by turns what such programs show: `i` an input box,
 * `w` work, `l` a prompt for a key, `m` a menu.
 */
const FRAMES = ["◴", "◷", "◶", "◵"];
const FRAME_MS = 150;
const WIDTH = 60;

const SCREENS: Readonly<Record<string, (tick: number) => readonly string[]>> = {
  i: () => [
    "zorble 0.3 — ready when you are",
    "",
    `╔${"═".repeat(WIDTH)}╗`,
    `║ ▸${" ".repeat(WIDTH - 2)}║`,
    `╚${"═".repeat(WIDTH)}╝`,
    "ctrl+o options   ctrl+q quit",
  ],
  w: (tick) => [
    "zorble 0.3",
    "",
    `${FRAMES[tick % FRAMES.length]} mulling it over ${Math.floor((tick * FRAME_MS) / 1_000)}s`,
    "",
    "ctrl+q quit",
  ],
  l: () => ["zorble 0.3", "", "You are not signed in.", "", "Open a browser to sign in? (y/n) "],
  m: () => [
    "zorble 0.3",
    "",
    "Do you trust this folder?",
    "",
    "  ▶ Trust it",
    "    Leave",
    "",
    "enter to pick",
  ],
};

let shown = "i";
let tick = 0;

function draw(): void {
  const rows = (SCREENS[shown] ?? (() => []))(tick);
  // The cursor stays at the end of the last row that is to be answered.
  process.stdout.write(`\x1b[H\x1b[2J${rows.join("\r\n")}${shown === "i" ? "\x1b[4;5H" : ""}`);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdout.write("\x1b[?1049h\x1b[?2004h");
draw();
process.stdin.on("data", (keys: string) => {
  for (const key of keys) {
    if (key === "\x11" || key === "\x03") process.exit(0);
    if (!(key in SCREENS)) continue;
    shown = key;
    tick = 0;
    draw();
  }
});
setInterval(() => {
  tick += 1;
  if (shown === "w") draw();
}, FRAME_MS);
