/**
 * Looks to a terminal as Claude Code does: works, and asks again and again for a while. When each prompt was shown is
 * written, in milliseconds, to the file in `REPORT`. After `PROMPTS` of them it waits for a message.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const RULER = "─".repeat(100);
const BOX = [RULER, "❯ ", RULER];
const SPINNER = ["✢", "✳", "✶", "✻", "✽"];
const FRAME_MS = 90;
const ASKS_MS = 450;
/** Of another length each time, so that prompts come at any moment between two readings. */
const WORKS_MS = [430, 610, 520, 790, 370];

const prompts = Number(process.env["PROMPTS"]);

function draw(rows: readonly string[]): void {
  process.stdout.write(`\x1b[?2026h\x1b[2J\x1b[H${rows.join("\r\n")}\x1b[?2026l`);
}

async function work(forMs: number): Promise<void> {
  for (let frame = 0; frame * FRAME_MS < forMs; frame += 1) {
    draw([
      `${SPINNER[frame % SPINNER.length]} Scurrying…`,
      "",
      ...BOX,
      "  ⏸ manual mode on · esc to interrupt",
    ]);
    await sleep(FRAME_MS);
  }
}

function ask(prompt: number): void {
  draw([
    RULER,
    " Bash command",
    "",
    ` touch file-${prompt}`,
    "",
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel · Tab to amend",
  ]);
  appendFileSync(process.env["REPORT"] ?? "", `${performance.timeOrigin + performance.now()}\n`);
}

process.stdin.setRawMode(true).resume();
for (let prompt = 1; prompt <= prompts; prompt += 1) {
  await work(WORKS_MS[prompt % WORKS_MS.length] ?? 0);
  ask(prompt);
  await sleep(ASKS_MS);
}
await work(WORKS_MS[0] ?? 0);
draw(["✻ Worked for 9s · done 8:00 AM", "", ...BOX, "  ⏸ manual mode on · ? for shortcuts"]);
