/**
 * A screen that nobody understands and messages that came back, as a real daemon tells them of a real program in a real
 * shell. How each of them looks in other sizes is in `terminal-truth.test.ts`.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, screenshot } from "./page-under-test.js";

const STRANGER = new URL("../../dist/test/e2e/programs/strange-agent.js", import.meta.url).pathname;

/** A shell with a program in it of which a person has said that it is an agent. */
class StrangeShell {
  static async open(daemon: TestDaemon): Promise<StrangeShell> {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-strange-"));
    onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
    const program = join(folder, "zorble");
    await writeFile(program, `#!/bin/bash\nexec -a zorble '${process.execPath}' '${STRANGER}' "$@"\n`);
    await chmod(program, 0o755);
    const { id } = await daemon.client.createSession({
      ...{ harness: "terminal", cwd: folder, title: "A strange program", args: ["/bin/bash", "--norc"] },
      env: { PATH: `${folder}:${process.env["PATH"] ?? ""}`, STRANGE_AGENT_LOG: join(folder, "log") },
    });
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("idle");
    return new StrangeShell(daemon, id, folder);
  }

  private constructor(
    private readonly daemon: TestDaemon,
    readonly id: string,
    private readonly folder: string,
  ) {}

  async start(): Promise<void> {
    const { client } = this.daemon;
    await client.typeKeys(this.id, { text: "zorble\r" });
    const name = () =>
      client.connect({ sessionId: this.id, as: "zorble" }).then(
        () => true,
        () => false,
      );
    await expect.poll(name).toBe(true);
    await expect.poll(async () => (await client.getSession(this.id)).agent?.name).toBe("zorble");
  }

  async quit(): Promise<void> {
    await this.daemon.client.typeKeys(this.id, { text: "\x11" });
  }

  /** The messages that it took. */
  async took(): Promise<readonly string[]> {
    const log = await readFile(join(this.folder, "log"), "utf8").catch(() => "");
    const lines = log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as string]));
    return lines.filter((line) => line.startsWith("took "));
  }
}

function statusWord(page: Page, word: string) {
  return page.locator(".session-head .status-word", { hasText: new RegExp(`^${word}`) });
}

test("what nobody understands is said, shown, and sent to anyway; what waits when it ends comes back", async () => {
  const { page, daemon, complaints } = await openPage();
  const shell = await StrangeShell.open(daemon);
  await shell.start();
  await page.goto(`${daemon.ready.url}/s/${shell.id}`);
  await statusWord(page, "Not known").waitFor();
  expect(await page.locator(".session-head .spinner").count()).toBe(0);
  const shown = page.locator(".xterm-rows", { hasText: "ready when you are" });
  await shown.waitFor();
  expect(await page.locator(".composer-note").innerText()).toContain("Messages are queued until it can");

  // A message waits, until a person who has looked sends it anyway.
  const field = page.locator(".composer textarea");
  await field.fill("It waits");
  await field.press("Enter");
  await expect
    .poll(async () => (await daemon.client.getSession(shell.id)).queue.map(({ status }) => status))
    .toEqual(["queued"]);
  expect(await shell.took()).toEqual([]);
  await screenshot(page, "unknown-real");
  await page.getByRole("button", { name: "Send anyway" }).click();
  await expect.poll(() => shell.took()).toEqual(["took It waits"]);
  await statusWord(page, "Not known").waitFor();

  // The program ends before it takes two more.
  for (const words of ["Tidy up", "touch ran"]) await daemon.client.sendMessage(shell.id, { text: words });
  await shell.quit();
  await statusWord(page, "Shell").waitFor();
  const list = page.getByRole("region", { name: "Not delivered" });
  await expect.poll(() => list.locator(".returned-text").allInnerTexts()).toEqual(["Tidy up", "touch ran"]);
  const send = list.getByRole("button", { name: /^Send/ });
  expect(await send.first().isDisabled()).toBe(true);
  await screenshot(page, "returned-real");
  await list.getByRole("button", { name: "Drop" }).last().click();
  await expect.poll(() => list.locator(".returned-text").allInnerTexts()).toEqual(["Tidy up"]);

  // Another one is there: it gets what is left, by two presses, because it is not understood either.
  await shown.waitFor({ state: "detached" });
  await shell.start();
  await statusWord(page, "Not known").waitFor();
  await shown.waitFor();
  await send.first().click();
  await list.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send anyway" }).click();
  await expect.poll(() => shell.took()).toEqual(["took It waits", "took Tidy up"]);
  expect(complaints).toEqual([]);
});
