/**
 * An agent of the `script` harness that does all it can to be a burden: calls that never end, asks that nobody could
 * answer, JSON as deep as a stack, and text without end. It begins anew until it is ended.
 */
import { once } from "node:events";

const COUNT = Number(process.env["COUNT"] ?? "10000");
const TEXT_BYTES = Number(process.env["TEXT_BYTES"] ?? `${1024 ** 3}`);
const LINE = "All work and no play makes the agent a dull one. ".repeat(80);
const DEPTH = 5_000;

let n = 0;

async function say(line: Readonly<Record<string, unknown>>): Promise<void> {
  n += 1;
  await write(`${JSON.stringify({ n, ...line })}\n`);
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

async function burden(round: number): Promise<void> {
  for (let call = 0; call < COUNT; call += 1)
    await say({ type: "tool", callId: `${round}-${call}`, name: "shell", input: { command: "sleep 1000" } });
  for (let ask = 0; ask < COUNT; ask += 1)
    await say({ type: "ask", askId: `${round}-${ask}`, ask: "command", title: "May I?", detail: LINE });
  // No number: what nobody can read has none.
  for (let line = 0; line < 100; line += 1)
    await write(`{"type":"deep","deep":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}\n`);
  for (let bytes = 0; bytes < TEXT_BYTES; bytes += LINE.length) await say({ type: "text", text: LINE });
}

process.stdin.on("end", () => process.exit(0)).resume();
process.stdout.on("error", () => process.exit(0));
await say({ type: "ready", sessionId: "hostile" });
await say({ type: "request" });
for (let round = 0; ; round += 1) await burden(round);
