/** Why a session is in its state, on the page; and axe on every page of a session. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";
import { asking, request, say, startScript } from "./session-scripts.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function flawsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

test("the machine is drawn with the current status lit, and the last changes have their evidence", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [asking("a1", "make it")]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.locator("article.ask").waitFor();
  await page.keyboard.press("w");
  const panel = page.getByRole("region", { name: "Why it is in this state" });
  const explained = await daemon.client.explain(id);
  await panel.getByText(explained.because).waitFor();
  const lit = panel.locator(".machine-node[data-current]");
  expect(await lit.getAttribute("data-status")).toBe("waiting_approval");
  expect(await panel.locator(".machine-edge[data-last] title").textContent()).toMatch(
    /^Working to Needs approval: /,
  );
  expect(await panel.locator(".explain-change").count()).toBe(explained.changes.length);
  await panel.locator("summary").first().click();
  await panel.locator(".output-text").first().waitFor();
  await screenshot(page, "explain-desktop");
  expect(new URL(page.url()).pathname).toBe(`/s/${id}/why`);
  // The key leads back to what is asked.
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.goto(`${daemon.ready.url}/s/${id}/why`);
  await expect.poll(() => lit.getAttribute("data-status")).toBe("completed");
  await expect.poll(() => panel.locator(".explain-because").innerText()).toContain("Done since");
  expect(complaints).toEqual([]);
});

test("the parts of a session are tabs with addresses of their own, and arrow keys go between them", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [asking("a1", "make it")]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}/why` });
  const chosen = page.getByRole("tab", { selected: true });
  await page.getByRole("region", { name: "Why it is in this state" }).waitFor();
  // Neither a terminal nor files are kept of it.
  expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Thread 1 waiting", "Why"]);
  await chosen.focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("article.ask").waitFor();
  expect(await chosen.innerText()).toBe("Thread");
  expect(await chosen.evaluate((tab) => tab === document.activeElement)).toBe(true);
  expect(await page.getByRole("tabpanel", { name: "Thread" }).count()).toBe(1);
  await page.goBack();
  expect(await chosen.innerText()).toBe("Why");
  await page.goto(`${daemon.ready.url}/s/${id}/terminal`);
  await page.locator("article.ask").waitFor();
  expect(await chosen.innerText()).toBe("Thread");
  await page.goto(`${daemon.ready.url}/s/${id}/nothing`);
  await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  expect(complaints).toEqual([]);
});

const RICH =
  "# Plan\n\n1. Do *this*\n2. And `that`\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> So be it: [there](https://a.example)";

test.each([
  ["light", "desktop"],
  ["dark", "desktop"],
  ["light", "phone"],
  ["dark", "phone"],
] as const)(
  "axe finds nothing on a session, its explanation, its terminal and the inbox (%s, %s)",
  async (theme, size) => {
    const daemon = await startDaemon();
    const tool = [
      { emit: { type: "tool", callId: "c1", name: "Bash", input: { command: "make" } } },
      { emit: { type: "tool_done", callId: "c1", ok: false, output: "no rule" } },
      { emit: { type: "thinking", text: "Hm." } },
    ];
    const id = await startScript(daemon, [[request, say(RICH), ...tool, ...asking("a1", "make it")]]);
    await startScript(daemon, [asking("a2", "make that")]);
    const shell = await daemon.client.createSession({
      ...{
        harness: "terminal",
        cwd: tmpdir(),
        title: "A shell",
        args: ["/bin/sh"],
        env: { PS1: "~/ready$ ", ENV: "" },
      },
    });
    const { page } = await openPage({ daemon, theme, size, path: `/s/${id}` });
    await page.locator("article.ask").waitFor();
    await page.getByText("So be it").waitFor();
    await screenshot(page, `session-${theme}-${size}`);
    expect(await flawsIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Why" }).click();
    await page.locator(".machine").waitFor();
    await screenshot(page, `explain-${theme}-${size}`);
    expect(await flawsIn(page)).toEqual([]);
    await page.goto(`${daemon.ready.url}/inbox`);
    await page.locator("article.ask").nth(1).waitFor();
    await screenshot(page, `inbox-${theme}-${size}`);
    expect(await flawsIn(page)).toEqual([]);
    await page.goto(`${daemon.ready.url}/s/${shell.id}`);
    await page.locator('.terminal-state[data-link="open"]').waitFor();
    await screenshot(page, `terminal-${theme}-${size}`);
    expect(await flawsIn(page)).toEqual([]);
  },
);
