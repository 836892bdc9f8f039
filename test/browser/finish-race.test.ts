/** What becomes of a change, and a race, on the page: with one daemon, one repository and real workspaces. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, screenshot } from "./page-under-test.js";
import { done, request, say, type Step } from "./session-scripts.js";

const SLOW = { timeout: 30_000, interval: 200 };

let root = "";
let repo = "";
let daemon: TestDaemon;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-finish-")));
  repo = join(root, "acme-api");
  await mkdir(repo);
  await git("init", "--quiet", "--initial-branch=main", ".");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.test");
  await commit("cookies.ts", 'export const sameSite = "strict";\n', "Start");
  daemon = await TestDaemon.start({ dataDir: join(root, "data"), env: { SIGNALBOX_CHECKPOINTS: "on" } });
});
afterAll(async () => {
  await daemon.end();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

function git(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: homedir() };
    execFile("git", args, { cwd: repo, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout.trim()),
    );
  });
}

async function commit(file: string, text: string, subject: string): Promise<void> {
  await writeFile(join(repo, file), text);
  await git("add", "--all");
  await git("commit", "--quiet", "-m", subject);
}

const write = (file: string, text: string): Step => ({ write: file, text });

async function inWorkspace(title: string, turns: readonly (readonly Step[])[]): Promise<string> {
  const { id } = await daemon.client.createSession({
    ...{ harness: "script", cwd: repo, workspace: "new", title, prompt: "Begin" },
    args: ["--inline", JSON.stringify({ turns })],
  });
  return id;
}

const bar = (page: Page, status: string) => page.locator(`.finish[data-workspace="${status}"]`);

/** At the sizes and themes that people have, for people to look at. */
async function picture(page: Page, name: string): Promise<void> {
  for (const [size, width, height] of [
    ["desktop", 1400, 900],
    ["phone", 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await screenshot(page, `${name}-${size}-${theme}`);
    }
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

test("a change is checked, meets a conflict, is resolved by its agent, and finished", async () => {
  const project = await daemon.client.addProject({ directory: repo });
  await daemon.client.patchProject(project.id, { check: "echo 2 tests; grep -q lax cookies.ts" });
  const id = await inWorkspace("Fix login redirect loop", [
    [request, write("cookies.ts", 'export const sameSite = "lax";\n'), say("The cookie is Lax now."), done],
    [request, write("cookies.ts", 'export const sameSite = "lax"; // both\n'), say("Resolved."), done],
  ]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.locator('.session[data-status="completed"]').waitFor();
  await page.getByRole("tab", { name: /Changes/ }).click();
  const ready = bar(page, "ready");
  await ready.getByText("The uncommitted changes of signalbox/fix-login-redirect-loop").waitFor();
  expect(await ready.getByLabel("Commit message").inputValue()).toBe(
    "Fix login redirect loop\n\nThe cookie is Lax now.",
  );
  await ready.getByRole("button", { name: "Run the check" }).click();
  await ready.getByText("✓ check passed").waitFor();
  await picture(page, "finish-ready");

  // The person's own checkout of the base is in the way, until it is clean.
  await writeFile(join(repo, "cookies.ts"), "of a person\n");
  const finish = ready.getByRole("button", { name: "Finish", exact: true });
  await finish.click();
  await page.getByText("main is checked out with changes that are not committed").waitFor();
  await expect.poll(() => finish.isDisabled()).toBe(true);
  await picture(page, "finish-base-dirty");
  await git("checkout", "--quiet", "cookies.ts");
  await ready.getByRole("button", { name: "Look again" }).click();
  await expect.poll(() => finish.isEnabled()).toBe(true);

  // The base goes on, and conflicts.
  await commit("cookies.ts", 'export const sameSite = "none";\n', "Meanwhile");
  await finish.click();
  const conflicted = bar(page, "conflicted");
  if ((await conflicted.count()) === 0) {
    // What was on the screen is not what is there any more: refused, and shown anew.
    await Promise.race([
      conflicted.waitFor(),
      ready.getByText("main has 1 commit that this workspace does not have").waitFor(),
    ]);
    if ((await conflicted.count()) === 0) await finish.click();
  }
  await conflicted.getByText("1 file cannot be brought together with main").waitFor();
  expect(await conflicted.getByRole("list", { name: "Files in conflict" }).innerText()).toBe("cookies.ts");
  expect(await git("log", "--format=%s")).toBe("Meanwhile\nStart");
  await picture(page, "finish-conflict");
  await conflicted.getByRole("button", { name: "Ask the agent to resolve" }).click();
  await expect
    .poll(
      async () =>
        (await daemon.client.getThread(id)).items.some((item) => JSON.stringify(item).includes("Resolved.")),
      SLOW,
    )
    .toBe(true);
  await expect
    .poll(() => conflicted.getByRole("button", { name: "It is resolved: go on" }).count(), SLOW)
    .toBe(1);
  await conflicted.getByRole("button", { name: "It is resolved: go on" }).click();
  await bar(page, "merged").getByText("main has the changes of signalbox/fix-login-redirect-loop").waitFor();
  expect(await readFile(join(repo, "cookies.ts"), "utf8")).toContain("// both");
  await picture(page, "finish-merged");
  await page.getByRole("button", { name: "Remove the workspace" }).click();
  await page.getByRole("button", { name: "Remove it", exact: true }).click();
  await bar(page, "gone").waitFor();
  expect(complaints).toEqual([]);
});

test("a setup that fails is told with its output; work that is nowhere else goes only when that is confirmed", async () => {
  const project = await daemon.client.addProject({ directory: repo });
  await daemon.client.patchProject(project.id, { setup: "echo no network here; exit 3", check: null });
  const id = await inWorkspace("Try something", [[request, write("new.txt", "x\n"), say("Done."), done]]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  const failed = bar(page, "failed");
  await failed.getByText("Its setup failed: the setup ended with 3").waitFor();
  await failed.getByText("no network here").waitFor();
  await picture(page, "finish-setup-failed");
  await failed.getByRole("button", { name: "Go on without it" }).click();
  await page.locator('.session[data-status="completed"]').waitFor();
  await daemon.client.patchProject(project.id, { setup: null });
  await page.getByRole("tab", { name: /Changes/ }).click();
  await bar(page, "ready").getByRole("button", { name: "Discard…" }).click();
  await page.getByText("Only this workspace holds uncommitted changes").waitFor();
  await page.getByRole("button", { name: "Remove it with that" }).click();
  await bar(page, "gone").getByText("moved to the trash").waitFor();
  expect(complaints).toEqual([]);
});

test("a race is compared, and one is chosen", async () => {
  const agent = (text: string) => ({
    harness: "script",
    args: [
      "--inline",
      JSON.stringify({
        turns: [
          [
            request,
            write("page.ts", text),
            say("Written."),
            { emit: { type: "usage", inputTokens: 48_200, outputTokens: 3_150, costUsd: 0.42 } },
            done,
          ],
        ],
      }),
    ],
  });
  const { id } = await daemon.client.createRace({
    prompt: "Add pagination to the orders",
    directory: repo,
    entries: [
      agent("export const page = (n: number) => n * 20;\n"),
      agent("export const page = 20;\n"),
      agent("// later\n"),
    ],
    check: "echo 3 tests; grep -q 20 page.ts",
  });
  const { page, complaints } = await openPage({ daemon, path: `/races/${id}` });
  await expect
    .poll(() => page.locator(".race-check").allInnerTexts(), SLOW)
    .toEqual(["✓ passed", "✓ passed", "failed (1)"]);
  await page.getByText("All are done.").waitFor();
  expect(await page.locator(".race-side .diff").count()).toBe(2);
  await picture(page, "race");
  await page.getByRole("button", { name: "Choose…" }).first().click();
  await page.getByText("become one commit on main").waitFor();
  await picture(page, "race-choose");
  await page.getByRole("button", { name: "Choose it" }).click();
  await page.getByText("One is chosen and finished; the 2 others are parked.").waitFor({ timeout: 30_000 });
  expect(await readFile(join(repo, "page.ts"), "utf8")).toContain("n * 20");
  expect(await git("log", "-1", "--format=%s")).toBe("Add pagination to the orders");
  await picture(page, "race-chosen");
  await page.goto(`${daemon.ready.url}/races`);
  await page.locator("main").getByRole("link", { name: "Add pagination to the orders" }).waitFor();
  await picture(page, "races");
  await page.goto(`${daemon.ready.url}/new`);
  await page.getByText("In a workspace of its own").click();
  await page.getByRole("textbox", { name: /Branch/ }).waitFor();
  await picture(page, "new-session-workspace");
  expect(complaints).toEqual([]);
});
