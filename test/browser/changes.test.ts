/** The changes of a session: a real repository, an agent that edits, comments by mouse and by keys, one review. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, screenshot } from "./page-under-test.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** For each prompt: notes it, and brings the files of the next folder in. */
const AGENT = `#!/bin/sh
n=1
turn=0
echo '{"n":1,"type":"ready","sessionId":"agent"}'
while IFS= read -r line; do
  printf '%s\\n' "$line" >> "$FILES/report"
  turn=$((turn + 1))
  n=$((n + 1)); echo "{\\"n\\":$n,\\"type\\":\\"request\\"}"
  if [ -d "$FILES/$turn" ]; then cp -r "$FILES/$turn/." .; fi
  n=$((n + 1)); echo "{\\"n\\":$n,\\"type\\":\\"done\\"}"
done
`;

const COOKIES = [
  "export function sessionCookie(value: string): Cookie {",
  "  return {",
  '    sameSite: "strict",',
  "    httpOnly: true,",
  "    maxAge: 3600,",
  "  };",
  "}",
];
const EDITED = [
  ...COOKIES.slice(0, 2),
  "    // The provider's redirect is a cross-site navigation.",
  '    sameSite: "lax",',
  "    httpOnly: true,",
  "    maxAge: SESSION_SECONDS,",
  ...COOKIES.slice(5),
];

let folder: string;
let daemon: TestDaemon;
let id: string;

function put(path: string, lines: readonly string[]): void {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-review-"));
  const cwd = join(folder, "repository");
  put("repository/src/auth/cookies.ts", COOKIES);
  put("repository/README.md", ["# App", "", "Old words."]);
  put("1/src/auth/cookies.ts", EDITED);
  put("1/test/round-trip.test.ts", ['test("round trip", () => {', "  expect(1).toBe(1);", "});"]);
  put("1/README.md", ["# App", "", "New words."]);
  put("2/src/auth/cookies.ts", ["// Cookies of sessions.", ...EDITED]);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(join(folder, "agent.sh"), AGENT);
  chmodSync(join(folder, "agent.sh"), 0o755);
  cpSync(cwd, join(folder, "before"), { recursive: true });
  daemon = await TestDaemon.start({ env: { SIGNALBOX_CHECKPOINTS: "" } });
  const created = await daemon.client.createSession({
    ...{ harness: "script", cwd, title: "Fix login redirect loop", prompt: "go" },
    args: ["--program", join(folder, "agent.sh")],
    env: { FILES: folder },
  });
  id = created.id;
});

afterAll(async () => {
  await daemon.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function kept(turn: number): Promise<void> {
  const turns = async () => (await daemon.client.getChanges(id)).turns.at(-1);
  await expect.poll(() => turns().catch(() => -1), { timeout: 20_000 }).toBeGreaterThanOrEqual(turn);
}

async function flawsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id: rule, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${rule}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

async function open(): ReturnType<typeof openPage> {
  await kept(1);
  return openPage({ daemon, path: `/s/${id}/changes` });
}

/** What has the keyboard, by its name. */
const focusIn = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);

const linesIn = (page: Page, type: string) =>
  page.locator(`.diff-row[data-type="${type}"] .diff-code`).allTextContents();

test("changes are read, searched, viewed and shown in two ways, by keys", async () => {
  const { page, complaints } = await open();
  const files = page.getByRole("navigation", { name: "Changed files" });
  await files.getByRole("button", { name: /cookies\.ts/ }).waitFor();
  expect(await files.getByRole("button").allInnerTexts()).toHaveLength(3);
  await expect.poll(() => linesIn(page, "removed")).toContain('−    sameSite: "strict",');
  // Colours come a moment later, and are no markup of the file's.
  await page.locator('.diff-code [data-kind="keyword"]').first().waitFor();
  await page.keyboard.press("u");
  await page.locator(".diff-half").first().waitFor();
  await screenshot(page, "changes-split");
  await page.keyboard.press("u");
  await page.locator(".diff-half").first().waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.keyboard.type("SESSION_seconds");
  await page.getByText("of 1 lines found").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("1 of 1 lines found").waitFor();
  expect(await page.locator(".diff-code mark").allInnerTexts()).toEqual(["SESSION_SECONDS"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("[");
  await page.keyboard.press("v");
  // What was viewed is folded, and is so in the next visit.
  await expect.poll(() => linesIn(page, "added")).not.toContain("+New words.");
  await page.reload();
  await page.locator('.file-entry[data-viewed="true"]').waitFor();
  await page.getByLabel("What is compared").selectOption("1");
  await expect.poll(() => linesIn(page, "removed")).toHaveLength(2);
  expect(complaints).toEqual([]);
});

test("comments are sent as one message, and say when their code has changed", async () => {
  for (const comment of (await daemon.client.listComments(id)).items)
    await daemon.client.deleteComment(id, comment.id);
  const { page, complaints } = await open();
  const send = page.getByRole("button", { name: /^Send review/ });
  await page.getByRole("button", { name: "Comment on line 4, added" }).click();
  await page
    .getByRole("textbox", { name: "Comment on line 4" })
    .fill("Keep strict for the admin cookie, please.");
  await page.getByRole("button", { name: /^Comment Ctrl/ }).click();
  await page.getByRole("article", { name: "Comment on line 4, not sent yet" }).waitFor();
  await expect.poll(() => send.innerText()).toBe("Send review (1)");
  await screenshot(page, "changes-comment");
  // The line that was commented on has the focus again; what the next keys choose, they choose at once.
  expect(await focusIn(page)).toBe("Comment on line 4, added");
  for (const key of ["k", "k", "j", "ArrowDown", "Shift+ArrowDown", "c"]) await page.keyboard.press(key);
  expect(await focusIn(page)).toBe("Comment on lines 3–4");
  await page.keyboard.press("Escape");
  expect(await focusIn(page)).toBe("Comment on line 4, added");
  for (const key of ["u", "u", "Shift+ArrowDown", "Shift+ArrowUp", "c"]) await page.keyboard.press(key);
  await page.keyboard.type("Say so in the test.");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => send.innerText()).toBe("Send review (2)");
  await page.getByRole("article", { name: "Comment on lines 3–4, not sent yet" }).waitFor();
  const made = (await daemon.client.listComments(id)).items;
  expect(made.map(({ text, state, outdated }) => [text, state, outdated])).toEqual([
    ["Keep strict for the admin cookie, please.", "open", false],
    ["Say so in the test.", "open", false],
  ]);
  expect(await flawsIn(page)).toEqual([]);

  await page.getByLabel("What you say of the whole change").fill("Nearly there.");
  await send.click();
  await page.getByText("Sent with 2 comments.").waitFor();
  await kept(2);
  const told = readFileSync(join(folder, "report"), "utf8").trim().split("\n");
  expect(told).toHaveLength(2);
  expect(told[1]).toContain(
    JSON.stringify('src/auth/cookies.ts, line 4:\n```\n    sameSite: "lax",\n```\nKeep strict').slice(1, -1),
  );
  // The agent has put a line above it: the comment is not moved, and says why it is not at its line.
  await page.getByRole("article", { name: "Comment on line 4, sent" }).waitFor();
  await page.getByText("The file has changed since this comment was made.").first().waitFor();
  await screenshot(page, "changes-outdated");
  const sent = page.getByRole("article", { name: "Comment on line 4, sent" });
  await sent.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("article", { name: "Comment on line 4, resolved" }).waitFor();
  expect(complaints).toEqual([]);
});

test("on a phone everything is there, in the dark too", async () => {
  const { page, complaints } = await openPage({ daemon, size: "phone", theme: "dark" });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/comments$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${daemon.ready.url}/s/${id}/changes`);
  await page.getByRole("button", { name: "Files 3" }).tap();
  await page.getByRole("button", { name: /round-trip/ }).tap();
  await page.locator(".diff-bar").getByText("test/round-trip.test.ts").waitFor();
  // What is above the chosen file grows by comments that come only now: it stays where it is.
  release();
  await page.getByRole("article").first().waitFor();
  expect(await page.locator(".diff-bar").innerText()).toContain("test/round-trip.test.ts");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole("button", { name: "Comment on line 2, added" }).tap();
  await page.getByRole("textbox", { name: "Comment on line 2" }).fill("More of these.");
  await page.getByRole("button", { name: "Comment", exact: true }).last().tap();
  await page.getByRole("article", { name: "Comment on line 2, not sent yet" }).waitFor();
  await screenshot(page, "changes-phone");
  expect(await flawsIn(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete" }).last().tap();
  await expect.poll(async () => (await daemon.client.listComments(id)).items.length).toBe(2);
  expect(complaints).toEqual([]);
});
