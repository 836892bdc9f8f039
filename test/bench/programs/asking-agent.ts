/**
 * An agent of the `script` harness that asks, again and again, and writes down when it has read each answer:
 * `ask id, nanoseconds` on a line of the file in `REPORT`.
 */
import { appendFileSync } from "node:fs";

const report = process.env["REPORT"] ?? "";
let n = 0;
let asked = 0;
let unread = "";

function say(line: Readonly<Record<string, unknown>>): void {
  n += 1;
  process.stdout.write(`${JSON.stringify({ n, ...line })}\n`);
}

function ask(): void {
  asked += 1;
  say({ type: "ask", askId: `ask-${asked}`, ask: "command", title: "May I go on?" });
}

function hear(line: string, atNs: bigint): void {
  const told = JSON.parse(line) as { readonly type: string; readonly askId?: string };
  if (told.type === "answer") appendFileSync(report, `${told.askId} ${atNs}\n`);
  ask();
}

process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const atNs = process.hrtime.bigint();
  const lines = (unread + text).split("\n");
  unread = lines.pop() ?? "";
  for (const line of lines) hear(line, atNs);
});
process.stdin.on("end", () => process.exit(0));
say({ type: "ready", sessionId: "asking" });
say({ type: "request" });
