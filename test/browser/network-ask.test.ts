/** What the wall asks, on the page: the host, who asks, how far an answer reaches, and that the agent does not wait. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { ROOT } from "../tidy/root.js";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";

const OPEN = "article.ask:not([data-gone])";
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

/** A program inside a wall that asks for a host; its session's id. */
async function startAsking(): Promise<{ readonly daemon: TestDaemon; readonly id: string }> {
  // Not below `/tmp`, which is private inside.
  mkdirSync(join(ROOT, ".artifacts"), { recursive: true });
  const home = realpathSync(mkdtempSync(join(ROOT, ".artifacts/network-ask-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const project = join(home, "project");
  for (const folder of [project, join(home, ".config/signalbox")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, ".config/signalbox/config.toml"), '[wall]\nnetwork = "listed"\n');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), SIGNALBOX_WALL: "require" };
  const daemon = await startDaemon({ dataDir: join(home, ".local/state/signalbox"), env });
  const script = "curl -s https://example.org/ >out 2>&1 & sleep 1000";
  const { id } = await daemon.client.createSession({
    ...{ harness: "terminal", title: "Update the lockfile", cwd: project },
    args: ["bash", "-c", script],
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).asks.length).toBe(1);
  return { daemon, id };
}

test.runIf(hasBubblewrap)("a host that the wall holds is shown, counted, and answered", async () => {
  const { daemon, id } = await startAsking();
  const phone = await openPage({ daemon, path: "/inbox", size: "phone" });
  await phone.page.locator(OPEN).waitFor();
  await screenshot(phone.page, "network-ask-phone");
  const { page, complaints } = await openPage({ daemon, path: "/inbox" });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.locator(OPEN).waitFor();
  expect(await page.locator(`${OPEN} .ask-title`).allInnerTexts()).toEqual([
    "Wants to reach example.org:443",
  ]);
  expect(await page.locator(`${OPEN} .ask-kind`).innerText()).toBe("Reach a host");
  expect(await page.locator(OPEN).innerText()).toContain("The wall asks");
  await page.locator(OPEN).getByLabel("in this project").check();
  expect(await page.locator(OPEN).getByLabel("Rule", { exact: true }).inputValue()).toBe("Web(example.org)");
  await screenshot(page, "network-ask-desktop");
  await page.goto(`${daemon.ready.url}/`);
  await page.locator('[data-attention="true"]').waitFor();
  await screenshot(page, "network-ask-board");
  await page.goto(`${daemon.ready.url}/inbox`);
  await page.locator(OPEN).getByRole("button", { name: "Reject…" }).click();
  await page.locator(OPEN).getByLabel("Why, or what to do instead").fill("use the mirror");
  await page.locator(OPEN).getByRole("button", { name: "Reject", exact: true }).click();
  await expect.poll(async () => (await daemon.client.getSession(id)).asks).toEqual([]);
  await expect.poll(() => page.locator(OPEN).count()).toBe(0);
  expect(complaints).toEqual([]);
});
