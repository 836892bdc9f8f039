/** A whole session on its page: the demo, from its first word to its last, on a desk and on a phone. */
import { expect, test } from "vitest";
import { openPage, screenshot, SIZES, type Size } from "./page-under-test.js";
import { emptyFolder } from "./session-scripts.js";

test.each(Object.keys(SIZES) as Size[])("the demo is followed and answered on a %s", async (size) => {
  const { page, daemon, complaints } = await openPage({ size });
  const { id } = await daemon.client.createSession({
    ...{ harness: "demo", prompt: "Show me", title: "The tour" },
    cwd: await emptyFolder(),
  });
  await page.goto(`${daemon.ready.url}/s/${id}`);
  await page.getByRole("heading", { name: "The tour" }).waitFor();
  const ask = page.locator("article.ask:not([data-gone])");

  await ask.getByText("date; sleep 1; echo hello").first().waitFor();
  // Nothing runs that nobody has approved.
  const states = () => page.locator(".tool-state").allInnerTexts();
  await expect.poll(states).toEqual(["needs you"]);
  await screenshot(page, `session-approval-${size}`);
  await ask.getByRole("button", { name: "Approve" }).click();

  await ask.locator('.diff-line[data-type="added"]').first().waitFor();
  await expect.poll(states).toEqual(["done", "needs you"]);
  expect(await ask.locator('.diff-line[data-type="added"]').allInnerTexts()).toContain("+\n# Signalbox");
  await screenshot(page, `session-change-${size}`);
  await ask.getByRole("button", { name: "Reject…" }).click();
  await page.getByLabel("Why, or what to do instead").fill("Not in this folder");
  await page.getByRole("button", { name: "Reject", exact: true }).click();

  await ask.getByText("Which colour should a signal have?").waitFor();
  expect(await page.evaluate(() => document.activeElement?.className)).toContain("composer-field");
  await screenshot(page, `session-question-${size}`);
  await ask.getByRole("button", { name: "green" }).click();

  await page.getByText("That was all: text, thinking").waitFor();
  await page.locator('.session[data-status="completed"]').waitFor();
  expect(await page.locator(".spinner").count()).toBe(0);
  expect(await page.locator(".ask-record-outcome").allInnerTexts()).toEqual([
    "approved by Chrome on Linux",
    "rejected by Chrome on Linux",
    "answered by Chrome on Linux",
  ]);
  await page.waitForTimeout(4_500);
  await screenshot(page, `session-completed-${size}`);
  expect(complaints).toEqual([]);
});
