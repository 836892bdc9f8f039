/** What is said while the keeper dies, or hangs: a success is kept, or the session says that it was none. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/index.js";
import { TestDaemon } from "../e2e/test-daemon.js";

const KILLS = process.env["SIGNALBOX_LONG"] === "1" ? 100 : 12;
/** Around the moment of an approval: some kills come before it, some after all is done. */
const KILL_WITHIN_MS = 30;

let folder: string;
let daemon: TestDaemon;
let opened = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-keeper-away-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface Asking {
  readonly id: string;
  readonly reportFile: string;
}

/** An agent that waits for an approval, and does nothing else. */
async function openAsking(...first: readonly object[]): Promise<Asking> {
  opened += 1;
  const reportFile = join(folder, `report-${opened}`);
  const ask = { emit: { type: "ask", askId: "a1", ask: "command", title: "npm test", detail: "in ." } };
  const script = {
    turns: [[...first, { emit: { type: "request" } }, ask, { answer: "a1" }, { emit: { type: "done" } }]],
  };
  const args = ["--inline", JSON.stringify(script), "--report", reportFile];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: folder, args, prompt: "go" });
  await expect.poll(async () => (await daemon.client.getSession(id)).asks[0]?.needsHuman).toBe(true);
  return { id, reportFile };
}

/** How many times the agent was told of the approval. */
async function approvalsHeard({ reportFile }: Asking): Promise<number> {
  const lines = (await readFile(reportFile, "utf8")).trim().split("\n");
  const heard = lines.map(
    (line) => (JSON.parse(line) as { readonly heard?: { readonly type: string } }).heard,
  );
  return heard.filter((told) => told?.type === "answer").length;
}

async function approve({ id }: Asking): Promise<string> {
  try {
    await daemon.client.answerAsk(id, "a1", { decision: "approve" });
    return "ok";
  } catch (error) {
    return error instanceof SignalboxError ? error.code : String(error);
  }
}

const NOT_DELIVERED =
  "Not delivered: the approval of “npm test”. The agent ended with its keeper before it was known to have it.";

async function errorsIn({ id }: Asking): Promise<readonly string[]> {
  const { items } = await daemon.client.getThread(id);
  const shown = items as unknown as readonly { readonly type: string; readonly text?: string }[];
  return shown.flatMap(({ type, text }) => (type === "note" ? [text ?? ""] : []));
}

async function statusOf({ id }: Asking): Promise<string> {
  return (await daemon.client.getSession(id)).status;
}

test("from its end until its agents are known to be gone, nothing is promised to them", async () => {
  // It takes two seconds until such an agent is ended.
  const asking = await openAsking({ ignore: "SIGTERM" });
  process.kill(await daemon.keeperPid(), "SIGKILL");
  await expect.poll(async () => (await daemon.client.getHealth()).ok).toBe(false);
  const message = { text: "hello", clientId: "once" };
  const refused = await daemon.client.sendMessage(asking.id, message).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 503, code: "keeper_away" });
  const answers = new Set<string>();
  while ((await statusOf(asking)) !== "paused") answers.add(await approve(asking));
  answers.delete("ask_stale");
  expect(answers).toEqual(new Set(["keeper_away"]));
  expect(await errorsIn(asking)).toEqual([]);
  // What was refused with a `clientId` is not refused for ever.
  expect((await daemon.client.sendMessage(asking.id, message)).status).toBe("queued");
});

test(`killed at ${KILLS} moments around an approval: the agent has it, or the session says that it has not`, async () => {
  const outcomes = new Map<string, number>();
  for (let index = 0; index < KILLS; index += 1) {
    const asking = await openAsking();
    const keeperPid = await daemon.keeperPid();
    const killed = sleep(Math.random() * KILL_WITHIN_MS).then(() => process.kill(keeperPid, "SIGKILL"));
    await sleep((Math.random() * KILL_WITHIN_MS) / 2);
    const answer = await approve(asking);
    await killed;
    await expect.poll(() => statusOf(asking), { timeout: 20_000 }).toMatch(/paused|completed/);
    await expect.poll(async () => (await daemon.client.getHealth()).ok, { timeout: 20_000 }).toBe(true);
    const heard = await approvalsHeard(asking);
    const isTold = (await errorsIn(asking)).includes(NOT_DELIVERED);
    expect({ index, isKept: answer !== "ok" || heard === 1 || isTold, heard: Math.min(heard, 1) }).toEqual({
      index,
      isKept: true,
      heard,
    });
    const outcome = `${answer}, ${heard === 1 ? "heard" : isTold ? "told as not delivered" : "not heard"}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  console.log(Object.fromEntries(outcomes));
}, 600_000);

test("what is accepted while it hangs is delivered once when it goes on", async () => {
  const asking = await openAsking();
  const keeperPid = await daemon.keeperPid();
  process.kill(keeperPid, "SIGSTOP");
  try {
    expect(await approve(asking)).toBe("ok");
  } finally {
    process.kill(keeperPid, "SIGCONT");
  }
  await expect.poll(() => statusOf(asking)).toBe("completed");
  expect([await approvalsHeard(asking), await errorsIn(asking)]).toEqual([1, []]);
});

test("what was accepted while it hung, and it died of that, is told as not delivered", async () => {
  const asking = await openAsking();
  const keeperPid = await daemon.keeperPid();
  process.kill(keeperPid, "SIGSTOP");
  expect(await approve(asking)).toBe("ok");
  process.kill(keeperPid, "SIGKILL");
  await expect.poll(() => statusOf(asking), { timeout: 20_000 }).toBe("paused");
  expect([await approvalsHeard(asking), await errorsIn(asking)]).toEqual([0, [NOT_DELIVERED]]);
  const { changes } = await daemon.client.explain(asking.id);
  expect(changes[0]?.reason).toBe("interrupted");
});
