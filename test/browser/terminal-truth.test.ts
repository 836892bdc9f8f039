/**
 * What the page says of terminals: a shell, a screen that nobody understands, messages that came back, a dialog that no
 * rule knows. The daemon is real; how a session looks is put into its answers, so that each look is there at once.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { SessionSummary } from "../../src/protocol/session.js";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, screenshot, signIn, startDaemon, type Size } from "./page-under-test.js";
import { finished, play } from "./scenes.js";

type Look = (session: SessionSummary) => Partial<SessionSummary>;

/** Every answer that has the session has it with this look; what is asked of it is noted and granted. */
async function dress(page: Page, id: string, look: Look): Promise<readonly unknown[]> {
  const asked: unknown[] = [];
  const dressed = (session: SessionSummary) =>
    session.id === id ? { ...session, ...look(session) } : session;
  await page.route(/\/v1\/sessions(?:\?|$)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: SessionSummary[] };
    await route.fulfill({ response, json: { ...body, items: body.items.map(dressed) } });
  });
  await page.route(new RegExp(`/v1/sessions/${id}(?:$|/messages)`), async (route) => {
    const request = route.request();
    if (request.method() === "GET") {
      const response = await route.fetch();
      await route.fulfill({ response, json: dressed((await response.json()) as SessionSummary) });
      return;
    }
    const path = new URL(request.url()).pathname.replace(`/v1/sessions/${id}`, "");
    const { clientId: _clientId, ...body } = (request.postDataJSON() ?? {}) as Record<string, unknown>;
    asked.push([request.method(), path, body]);
    if (request.method() === "DELETE") await route.fulfill({ status: 204 });
    else await route.fulfill({ status: 202, json: { messageId: "m9", status: "sending" } });
  });
  return asked;
}

async function openDressed(look: Look, where: { readonly size?: Size; readonly isBoard?: boolean } = {}) {
  const daemon: TestDaemon = await startDaemon();
  const id = await play(daemon, { title: "My terminal", turns: [finished("Done.")] });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  const { page, complaints } = await openPage({ daemon, ...(where.size ? { size: where.size } : {}) });
  const asked = await dress(page, id, (session) => ({ harness: "terminal", ...look(session) }));
  await signIn(page, daemon);
  await page.goto(`${daemon.ready.url}${where.isBoard === true ? "/" : `/s/${id}`}`);
  await page.locator('[data-connection="live"]').waitFor();
  // Only its look is a terminal's: there is none to connect to.
  const complained = () => complaints.filter((words) => !words.startsWith("WebSocket connection"));
  return { page, complained, asked };
}

const SHELL: Look = ({ ui }) => ({
  status: "idle",
  addressee: "agent",
  ui: { ...ui, canCancel: true, inputEnabled: false, showResumeButton: false },
});
const UNKNOWN: Look = ({ ui }) => ({
  ...{ status: "streaming", phase: "calling_llm", addressee: "agent", certainty: "unknown" },
  unknownSinceMs: Date.now() - 12_000,
  agent: { name: "claude", start: "7" },
  queue: [{ messageId: "m1", status: "queued" }],
  ui: { ...ui, showSpinner: false, needsAttention: true, canCancel: true },
});
const RETURNED = [
  { messageId: "m1", text: "Tidy up the parser, then run the tests" },
  { messageId: "m2", text: "And write `notes`" },
];

test.each<Size>(["desktop", "phone"])("a shell is a shell, and takes no message (%s)", async (size) => {
  const { page, complained } = await openDressed(SHELL, { size });
  await page.locator(".session-head .status-word", { hasText: /^Shell$/ }).waitFor();
  expect(await page.locator(".composer textarea").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
  expect(await page.locator(".composer-nobody").innerText()).toContain("signalbox type");
  await screenshot(page, `shell-${size}`);
  await page.getByRole("tab", { name: "Thread" }).click();
  await page.getByRole("button", { name: "Open the terminal" }).click();
  await page.locator(".terminal-place").waitFor();
  expect(complained()).toEqual([]);
});

test("on the board a shell is not completed, and what is not known has no spinner and needs a person", async () => {
  const shell = await openDressed(SHELL, { isBoard: true });
  expect(await shell.page.locator(".row .status-word").innerText()).toBe("Shell");
  const { page } = await openDressed(UNKNOWN, { isBoard: true });
  const row = page.locator(".row");
  expect(await row.locator(".status-word").innerText()).toBe("Not known");
  expect(await row.locator(".spinner").count()).toBe(0);
  expect(await row.getAttribute("data-attention")).toBe("true");
  expect(await row.locator(".row-doing").innerText()).toBe(
    "Signalbox cannot read what it shows: look at the terminal",
  );
  await screenshot(page, "unknown-board");
});

test.each<Size>(["desktop", "phone"])(
  "what is not known is said, and can be sent to anyway (%s)",
  async (size) => {
    const { page, asked, complained } = await openDressed(UNKNOWN, { size });
    const head = page.locator(".session-head");
    await head.locator(".status-word", { hasText: "Not known" }).waitFor();
    expect(await head.locator(".spinner").count()).toBe(0);
    expect(await head.innerText()).not.toMatch(/working|waiting for the model/i);
    expect(await page.locator(".composer-note").innerText()).toContain("Messages are queued until it can");
    await screenshot(page, `unknown-${size}`);
    // Without a text, the first that waits goes.
    await page.getByRole("button", { name: "Send anyway" }).click();
    await expect.poll(() => asked.length).toBe(1);
    await page.locator(".composer textarea").fill("Go on");
    await page.getByRole("button", { name: "Send anyway" }).click();
    await expect
      .poll(() => asked)
      .toEqual([
        ["POST", "/messages", { resend: "m1", force: true }],
        ["POST", "/messages", { text: "Go on", force: true }],
      ]);
    expect(complained()).toEqual([]);
  },
);

test.each<Size>(["desktop", "phone"])(
  "what came back is sent to whoever is there, or dropped (%s)",
  async (size) => {
    const { page, asked, complained } = await openDressed(
      (session) => ({
        ...UNKNOWN(session),
        ...{ certainty: "known", unknownSinceMs: null, status: "completed", phase: null, queue: [] },
        ui: { ...session.ui, inputEnabled: true, needsAttention: false },
        returned: RETURNED,
      }),
      { size },
    );
    const list = page.getByRole("region", { name: "Not delivered" });
    await list.waitFor();
    await screenshot(page, `returned-${size}`);
    await list.getByRole("button", { name: "Send to Claude Code" }).first().click();
    await expect.poll(() => asked.length).toBe(1);
    await list.getByRole("button", { name: "Drop" }).last().click();
    await expect
      .poll(() => asked)
      .toEqual([
        ["POST", "/messages", { resend: "m1" }],
        ["DELETE", "/messages/m2", {}],
      ]);
    expect(complained()).toEqual([]);
  },
);

test("with nobody there, what came back can only be dropped", async () => {
  const { page } = await openDressed((session) => ({ ...SHELL(session), returned: RETURNED }));
  const list = page.getByRole("region", { name: "Not delivered" });
  expect(await list.getByRole("button", { name: "Send now" }).first().isDisabled()).toBe(true);
  expect(await list.getByRole("button", { name: "Drop" }).first().isDisabled()).toBe(false);
});

test("a dialog that no rule knows is shown as it is, with the way to the terminal", async () => {
  const { page } = await openDressed(({ ui }) => ({
    status: "waiting_input",
    ui: { ...ui, needsAttention: true, canCancel: true },
    asks: [
      {
        ...{ askId: "k1", ask: "followup", title: "Make auto mode your default?", needsHuman: true },
        detail: "❯ 1. Yes\n  2. No, ask me each time",
        ...{ openedAtMs: Date.now(), tool: null, suggestions: [], atTerminal: true as const },
      },
    ],
  }));
  expect(await page.locator(".composer textarea").count()).toBe(0);
  await page.getByRole("tab", { name: /^Thread/ }).click();
  const card = page.locator("article.ask");
  expect(await card.locator(".ask-detail").innerText()).toBe("❯ 1. Yes\n  2. No, ask me each time");
  expect(await card.getByRole("button").allInnerTexts()).toEqual(["Open the terminal"]);
  await screenshot(page, "dialog-desktop");
  await card.getByRole("button", { name: "Open the terminal" }).click();
  await page.locator(".terminal-place").waitFor();
});
