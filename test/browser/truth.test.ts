/** What the page shows is what the journal says: at every change, and across a daemon that is killed. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { deriveUi, initialSession, type Status } from "../../src/core/index.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, startDaemon } from "./page-under-test.js";
import { asking, play, toolRun, writing } from "./scenes.js";

interface Shown {
  readonly id: string;
  readonly status: Status;
  readonly position: number;
  readonly hasSpinner: boolean;
}

/** Writes down every row as it is after each change of the document. */
async function recordRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: Shown[] = [];
    const look = () => {
      for (const row of document.querySelectorAll("[data-session]"))
        seen.push({
          id: row.getAttribute("data-session") ?? "",
          status: row.getAttribute("data-status") as Shown["status"],
          position: Number(row.getAttribute("data-position")),
          hasSpinner: row.querySelector(".spinner") !== null,
        });
    };
    look();
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    Object.assign(window, { seenRows: seen });
  });
}

function recorded(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(() => (window as unknown as { seenRows: Shown[] }).seenRows);
}

interface Change {
  readonly status: Status;
  readonly position: number;
  readonly atMs: number;
}

async function changesOf(daemon: TestDaemon, id: string): Promise<readonly Change[]> {
  const { items } = await daemon.client.listEvents(id, { kind: "state", limit: 1_000 });
  return items.flatMap((entry) => {
    if (entry.kind !== "state" || entry.event.payload.type !== "state_changed") return [];
    return [{ status: entry.event.payload.to, position: entry.position, atMs: entry.event.timestampMs }];
  });
}

/** Longer than any frame, on a busy machine too. */
const SEEN_MIN_MS = 1_000;

async function expectTruth(daemon: TestDaemon, page: Page, id: string): Promise<void> {
  const changes = await changesOf(daemon, id);
  const shown = (await recorded(page)).filter((row) => row.id === id);
  const wrong = shown.filter(({ status, position, hasSpinner }) => {
    const expected = changes.findLast((change) => change.position <= position)?.status ?? "idle";
    return status !== expected || hasSpinner !== deriveUi({ ...initialSession, status }).showSpinner;
  });
  expect(wrong).toEqual([]);
  expect(shown.map(({ position }) => position)).toEqual(
    shown.map(({ position }) => position).toSorted((a, b) => a - b),
  );
  const from = shown[0]?.position ?? 0;
  const lasting = changes.filter(
    ({ atMs, position }, index) =>
      position > from && (changes[index + 1]?.atMs ?? Infinity) - atMs >= SEEN_MIN_MS,
  );
  expect(lasting.filter(({ status }) => !shown.some((row) => row.status === status))).toEqual([]);
  expect(shown.at(-1)?.status).toBe(changes.at(-1)?.status);
}

test("the status on the board is the journal's at every change", async () => {
  const { page, daemon, complaints } = await openPage();
  await recordRows(page);
  const asks = await play(daemon, { title: "Asks", turns: [asking("ls", "ls"), writing(20, 50)] });
  const tool = await play(daemon, {
    title: "Tool",
    turns: [toolRun("make", 1_500), toolRun("make again", 300)],
  });
  const row = (id: string, status: string) => page.locator(`[data-session="${id}"][data-status="${status}"]`);
  await row(asks, "waiting_approval").waitFor();
  await page.waitForTimeout(SEEN_MIN_MS);
  await daemon.client.answerAsk(asks, "a1", { decision: "approve" });
  await row(asks, "completed").waitFor();
  await row(tool, "completed").waitFor();
  await daemon.client.sendMessage(asks, { text: "again" });
  await daemon.client.sendMessage(tool, { text: "again" });
  await expect.poll(async () => (await daemon.client.getSession(asks)).queue).toEqual([]);
  await daemon.client.cancel(tool);
  await row(tool, "stopped").waitFor();
  await row(asks, "completed").waitFor();
  await expectTruth(daemon, page, asks);
  await expectTruth(daemon, page, tool);
  expect(complaints).toEqual([]);
});

test("a daemon that is killed and comes back is followed on, without a reload, a loss or a repeat", async () => {
  const first = await startDaemon();
  const port = new URL(first.ready.url).port;
  const { page, complaints } = await openPage({ daemon: first });
  await page.evaluate(() => Object.assign(window, { neverReloaded: true }));
  await recordRows(page);
  const busy = await play(first, { title: "Busy", turns: [writing(200, 40, "Piece $I. ")] });
  const asks = await play(first, { title: "Asks", turns: [asking("ls", "ls")] });
  await page.locator(`[data-session="${busy}"][data-status="streaming"]`).waitFor();
  await page.locator(`[data-session="${asks}"][data-status="waiting_approval"]`).waitFor();
  await first.kill("SIGKILL");
  await page.getByText("Connection lost").waitFor();
  expect(await page.locator("[data-connection]").getAttribute("data-connection")).toBe("reconnecting");
  // What was last known stays on the screen.
  expect(await page.locator("[data-session]").count()).toBe(2);

  const again = await TestDaemon.start({ dataDir: first.dataDir, args: ["--port", port] });
  try {
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator(`[data-session="${busy}"][data-status="completed"]`).waitFor();
    expect(await page.locator(`[data-session="${busy}"]`).textContent()).toContain("Piece 200.");
    await again.client.answerAsk(asks, "a1", { decision: "reject", message: "no" });
    await page.locator(`[data-session="${asks}"][data-status="completed"]`).waitFor();
    await expectTruth(again, page, busy);
    await expectTruth(again, page, asks);
    expect(await page.evaluate(() => "neverReloaded" in window)).toBe(true);
    expect(complaints).toEqual([]);
  } finally {
    await again.end();
  }
});
