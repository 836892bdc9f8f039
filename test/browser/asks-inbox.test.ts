/** What agents ask, where it is answered: several at once, by keys, and from two pages. */
import { expect, test } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, pressInARow, pressUntil, screenshot, startDaemon } from "./page-under-test.js";
import { asking, done, request, say, startScript } from "./session-scripts.js";

const OPEN = "article.ask:not([data-gone])";

/** A session that asks by now: the next one asks later. */
async function startAsking(
  daemon: TestDaemon,
  askId: string,
  command: string,
  title: string,
): Promise<string> {
  const id = await startScript(daemon, [asking(askId, command)], { title });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("waiting_approval");
  return id;
}

test("asks of all sessions are answered in the inbox, several at once, each with its outcome", async () => {
  const daemon = await startDaemon();
  const ids = [
    await startAsking(daemon, "a1", "make one", "One"),
    await startAsking(daemon, "a2", "make two", "Two"),
    await startAsking(daemon, "a3", "make three", "Three"),
  ];
  const { page, complaints } = await openPage({ daemon, path: "/inbox" });
  await page.locator(OPEN).nth(2).waitFor();
  expect(await page.locator(`${OPEN} .ask-title`).allInnerTexts()).toEqual([
    ...["make one", "make two", "make three"],
  ]);
  await screenshot(page, "inbox-desktop");
  await page.getByLabel("Select all").check();
  await page.getByLabel("Select: Run make two").uncheck();
  // One of them is answered elsewhere while the person decides, and the page is not told yet.
  await page.route("**/v1/asks", async (route) => {
    await daemon.client.answerAsk(ids[2] ?? "", "a3", { decision: "reject" });
    await route.continue();
  });
  await page.getByRole("button", { name: "Approve selected" }).click();
  await page.getByText("Answered elsewhere.").first().waitFor();
  await expect.poll(() => page.locator(OPEN).count()).toBe(1);
  await expect
    .poll(() => Promise.all(ids.map(async (id) => (await daemon.client.getSession(id)).status)))
    .toEqual(["completed", "waiting_approval", "completed"]);
  expect(complaints).toEqual([]);
});

test("asks of two sessions that have the same id are answered apart", async () => {
  const daemon = await startDaemon();
  await startAsking(daemon, "a1", "git status", "One");
  await startAsking(daemon, "a1", "git log", "Two");
  const { page } = await openPage({ daemon, path: "/inbox" });
  await page.locator(OPEN).nth(1).waitFor();
  const once = page.locator(OPEN).getByLabel("once", { exact: true });
  expect(await Promise.all([once.nth(0).isChecked(), once.nth(1).isChecked()])).toEqual([true, true]);
  await page.locator(OPEN).nth(0).getByLabel("always").check();
  expect(await Promise.all([once.nth(0).isChecked(), once.nth(1).isChecked()])).toEqual([false, true]);
});

test("an answer that becomes a rule is offered only where its browser may give rules", async () => {
  const daemon = await startDaemon();
  await startAsking(daemon, "a1", "git status", "One");
  const { page } = await openPage({ daemon, path: "/inbox" });
  const offered = () => page.locator(OPEN).locator(".scope-choice").allInnerTexts();
  await expect.poll(offered).toEqual(["once", "for this session", "in this project", "always"]);
  const [device] = (await daemon.client.listDevices()).items;
  await daemon.client.patchDevice(device?.id ?? "", { role: "answer" });
  await page.reload();
  await page.locator(OPEN).getByLabel("for this session").check();
  expect(await offered()).toEqual(["once", "for this session"]);
  await page.getByRole("button", { name: "Approve for this session" }).click();
  await expect.poll(async () => (await daemon.client.listAsks()).items.length).toBe(0);
});

test("asks are answered with keys alone, and only after they were seen", async () => {
  const daemon = await startDaemon();
  const one = await startAsking(daemon, "a1", "make one", "One");
  const two = await startAsking(daemon, "a2", "make two", "Two");
  const { page, complaints } = await openPage({ daemon, path: "/inbox" });
  await page.locator(OPEN).nth(1).waitFor();
  // Nothing is chosen yet: the key only leads to the first.
  await page.keyboard.press("a");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-ask"))).toBe("a1");
  await page.keyboard.press("n");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-ask"))).toBe("a2");
  await pressUntil(page, "r", () => page.getByLabel("Why, or what to do instead").isVisible());
  await page.keyboard.type("not today");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await daemon.client.getSession(two)).status).toBe("completed");
  await expect.poll(() => page.locator(OPEN).count()).toBe(1);
  await page.keyboard.press("p");
  await page.keyboard.press("a");
  await expect.poll(async () => (await daemon.client.getSession(one)).status).toBe("completed");
  expect((await daemon.client.getThread(two)).items).toMatchObject([{}, {}, { text: "not today" }, {}]);
  expect(complaints).toEqual([]);
});

test("a key that is held down or pressed twice answers one ask", async () => {
  const daemon = await startDaemon();
  const one = await startAsking(daemon, "a1", "make one", "One");
  const two = await startAsking(daemon, "a2", "make two", "Two");
  const { page, complaints } = await openPage({ daemon, path: "/inbox" });
  const answered: string[] = [];
  page.on("request", (each) => each.url().includes("/asks/") && answered.push(each.url()));
  await page.locator(OPEN).nth(1).waitFor();
  await page.keyboard.press("n");
  await pressUntil(page, "a", () => Promise.resolve(answered.length > 0));
  await expect.poll(() => page.locator(OPEN).count()).toBe(1);
  await pressInARow(page, "a", 2);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-ask"))).toBe("a2");
  // By now it could have been read: only the key that is still down is no answer to it.
  await page.waitForTimeout(1_000);
  await pressInARow(page, "a", 5, { isHeld: true });
  expect([answered.length, (await daemon.client.getSession(two)).status]).toEqual([1, "waiting_approval"]);
  await pressUntil(page, "a", async () => (await daemon.client.getSession(two)).status === "completed");
  expect((await daemon.client.getSession(one)).status).toBe("completed");
  expect(complaints).toEqual([]);
});

test("of two pages that answer the same ask, one is told that it was answered elsewhere", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [asking("a1", "make it")]);
  const [a, b] = [
    await openPage({ daemon, path: `/s/${id}` }),
    await openPage({ daemon, path: `/s/${id}`, size: "phone" }),
  ];
  // Both have pressed before either is heard.
  let pressed = 0;
  for (const { page } of [a, b]) {
    await page.locator(OPEN).waitFor();
    await page.route("**/asks/a1", async (route) => {
      pressed += 1;
      await expect.poll(() => pressed, { timeout: 20_000 }).toBe(2);
      await route.continue();
    });
  }
  await Promise.all([
    a.page.getByRole("button", { name: "Approve" }).click(),
    b.page.getByRole("button", { name: "Approve" }).click(),
  ]);
  const outcomes = await Promise.all(
    [a, b].map(async ({ page }) => {
      const outcome = page.locator(".ask-outcome").filter({ hasText: "." });
      return (await outcome.innerText()).trim();
    }),
  );
  expect(outcomes.toSorted()).toEqual(["Answered elsewhere.", "Approved."]);
  for (const { page, complaints } of [a, b]) {
    await page.getByText("It ran make it.").waitFor();
    expect(await page.getByText("It ran make it.").count()).toBe(1);
    await expect.poll(() => page.locator("article.ask").count()).toBe(0);
    expect(complaints).toEqual([]);
  }
});

test("an approval for more than once says which rules it grants, and the next is not asked", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [asking("a1", "git status"), asking("a2", "git status")]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  const ask = page.locator(OPEN);
  await ask.getByLabel("for this session").check();
  expect(await ask.locator(".rule-fixed").innerText()).toBe("Shell(git status)");
  await screenshot(page, "session-scope-desktop");
  await ask.getByRole("button", { name: "Approve for this session" }).click();
  await page.locator('.session[data-status="completed"]').waitFor();
  await page.locator(".composer-field").fill("Again");
  await page.locator(".composer-field").press("Enter");
  await expect.poll(() => page.getByText("It ran git status.").count()).toBe(2);
});

test("a rule is widened before it is granted, and the page says what it would permit", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [asking("a1", "npm run build")]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  const ask = page.locator(OPEN);
  await ask.getByLabel("in this project").check();
  const rule = ask.getByLabel("Rule", { exact: true });
  await ask.getByText("Covers this request").waitFor();
  await rule.fill("Shell(npm test)");
  await ask.getByText("Does not cover this request").waitFor();
  await rule.fill("Shell(npm");
  await expect
    .poll(() => ask.getByRole("button", { name: "Approve in this project" }).isDisabled())
    .toBe(true);
  await rule.fill("Shell(npm run *)");
  await ask.getByText("Covers this request").waitFor();
  await ask.getByLabel("Try it on").fill("npm run lint");
  await ask.getByText("would run", { exact: true }).waitFor();
  await ask.getByLabel("Try it on").fill("npm publish");
  await ask.getByText("would ask", { exact: true }).waitFor();
  await screenshot(page, "ask-rule-desktop");
  await ask.getByRole("button", { name: "Approve in this project" }).click();
  await page.locator('.session[data-status="completed"]').waitFor();
  const { cwd } = await daemon.client.getSession(id);
  const granted = async () => (await daemon.client.getPermissions({ cwd })).rules.map(({ rule }) => rule);
  await expect.poll(granted).toContain("Shell(npm run *)");
  expect(complaints).toEqual([]);
});

test("a question with several choices, and one in words, are answered in the inbox", async () => {
  const daemon = await startDaemon();
  const question = (askId: string, detail: string) => ({
    emit: { type: "ask", ask: "followup", askId, title: "Which ones?", detail },
  });
  const choices =
    "  1) Red\n  2) Blue\n  3) Green\nChoose one or several, separated by commas, by number or name.";
  const answered = (askId: string) => ({ answer: askId, reply: [say("Thanks.")] });
  const id = await startScript(daemon, [
    [request, question("q1", choices), answered("q1"), done],
    [request, question("q2", ""), answered("q2"), done],
  ]);
  const { page, complaints } = await openPage({ daemon, path: "/inbox", size: "phone" });
  const ask = page.locator(OPEN);
  await ask.getByLabel("Red").check();
  await ask.getByLabel("Green").check();
  await screenshot(page, "inbox-question-phone");
  await ask.getByRole("button", { name: "Answer" }).first().click();
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  await daemon.client.sendMessage(id, { text: "next" });
  await ask.getByLabel("Answer in your own words").fill("None of them");
  await ask.getByRole("button", { name: "Answer" }).click();
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  const said = (await daemon.client.getThread(id)).items.flatMap((item) =>
    typeof item === "object" && item !== null && "text" in item && item["type"] === "user_message"
      ? [item["text"]]
      : [],
  );
  expect(said).toEqual(["Begin", "Red, Green", "next", "None of them"]);
  expect(complaints).toEqual([]);
});

test("an answer to a question that was answered elsewhere goes to no other question", async () => {
  const daemon = await startDaemon();
  const question = (askId: string) => ({ emit: { type: "ask", ask: "followup", askId, title: `${askId}?` } });
  const id = await startScript(daemon, [
    [
      ...[request, question("q1"), { answer: "q1", reply: [question("q2")] }],
      ...[{ answer: "q2", reply: [say("Thanks.")] }, done],
    ],
  ]);
  const { page, complaints } = await openPage({ daemon, path: "/inbox" });
  const first = page.locator("article.ask").filter({ hasText: "q1?" });
  await first.getByLabel("Answer in your own words").fill("Yes");
  // Somebody else is faster, and the page is not told yet.
  await page.route("**/messages", async (route) => {
    await daemon.client.sendMessage(id, { text: "No", askId: "q1" });
    await expect.poll(async () => (await daemon.client.getSession(id)).asks[0]?.askId).toBe("q2");
    await route.continue();
  });
  await first.getByRole("button", { name: "Answer" }).click();
  await first.getByText("Answered elsewhere.").waitFor();
  const { status, asks, queue } = await daemon.client.getSession(id);
  expect([status, asks.map(({ askId }) => askId), queue]).toEqual(["waiting_input", ["q2"], []]);
  expect(complaints).toEqual([]);
});
