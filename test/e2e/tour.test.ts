/** The whole tour, by the built program on a real daemon, and what is in its repository afterwards. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM } from "../cli/signalbox.js";
import { ROOT } from "../tidy/root.js";
import { TestDaemon } from "./test-daemon.js";
import { HAS_TMUX, TmuxPane } from "./tmux-pane.js";
import { tourDoc, withKnown, withoutChance } from "./tour-doc.js";

const DOC = join(ROOT, "docs/tour.md");
const SIGNALBOX = `'${process.execPath}' '${PROGRAM}'`;

let root = "";
let home = "";
let repo = "";
let daemon: TestDaemon;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-tour-")));
  [home, repo] = [join(root, "home"), join(root, "tour")];
  await mkdir(home);
  const env = { SIGNALBOX_CHECKPOINTS: "on", SIGNALBOX_WORKSPACES: "auto", HOME: home };
  daemon = await TestDaemon.start({ dataDir: join(root, "data"), env });
});
afterAll(async () => {
  await daemon.end();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

/** With what it wrote to stdout and stderr, as both come in one terminal. */
function sh(command: string, cwd = home): Promise<{ readonly status: number; readonly printed: string }> {
  const env = { ...process.env, HOME: home, SIGNALBOX_DATA_DIR: daemon.dataDir };
  return new Promise((resolve) => {
    const script = `exec 2>&1\nsignalbox() { ${SIGNALBOX} "$@"; }\n${command}`;
    const child = execFile("/bin/sh", ["-c", script], { cwd, env }, (error, printed) =>
      resolve({ status: typeof error?.code === "number" ? error.code : error ? -1 : 0, printed }),
    );
    child.stdin?.end();
  });
}

async function git(args: string): Promise<string> {
  return (await sh(`git ${args}`, repo)).printed.trim();
}

/** Ids and commits, in the order in which a document needs them replaced: whole ones before their beginnings. */
async function chance(): Promise<ReadonlyMap<string, string>> {
  const { items: sessions } = await daemon.client.listSessions();
  const { items: races } = await daemon.client.listRaces({});
  const { items: projects } = await daemon.client.listProjects();
  const whole = [
    ...sessions.map(({ id, title }) => [id, SHOWN[title] ?? "unknown"] as const),
    ...races.map(({ id }) => [id, "4ndk1zwwwwz1"] as const),
    ...projects.map(({ id }) => [id, "2487caa32bd2"] as const),
  ];
  const commits = (await git("log --format=%H"))
    .split("\n")
    .map((hash, index) => [hash, COMMITS[index] ?? ""] as const);
  return new Map([
    [repo, "~/signalbox-tour"],
    ...whole,
    ...whole.map(([id, shown]) => [id.slice(0, 8), shown.slice(0, 8)] as const),
    ...commits.flatMap(([hash, shown]) =>
      [12, 7].map((length) => [hash.slice(0, length), shown.slice(0, length)] as const),
    ),
  ]);
}

const SHOWN: Readonly<Record<string, string>> = {
  "Refuse 7:75, it is no time": "3qrxnq424zv9",
  "Write a README": "vx3f3x6z2s24",
  "Explain the code": "x3egkp9ee4rb",
  "Sort the board by time · demo": "gtmwhn4ntq5h",
  "Sort the board by time · demo:demo/hasty": "bsa7zjqrhj0d",
};
const COMMITS = ["3016c28f01be", "57d760b7aabb", "4cb2ed5c9a10"];

async function expectDocument(printed: string): Promise<void> {
  const document = tourDoc(withKnown(printed, await chance()));
  if (process.env["UPDATE"] === "1") await writeFile(DOC, document);
  expect(withoutChance(await readFile(DOC, "utf8"))).toEqual(withoutChance(document));
}

test("the tour goes on by itself, does what it says, and tells how to remove it", async () => {
  const { status, printed } = await sh(`signalbox tour --yes --dir '${repo}'`);
  expect([status, printed]).toEqual([0, expect.stringContaining("That was the tour.")]);
  expect(await git("log --format=%s main")).toBe("Sort the board\nRefuse what is no time\nA board of trains");
  expect(await git("status --porcelain --ignored")).toBe("");
  expect(await git("show main:test/clock.test.js")).toContain("/7:75 is no time/");
  expect(await git("ls-tree --name-only main")).toBe("check-order.js\npackage.json\nsrc\ntest");
  const [race] = (await daemon.client.listRaces({})).items;
  expect(race?.status).toBe("chosen");
  expect(race?.entries.map(({ isChosen, check }) => [isChosen, check?.status])).toEqual([
    [true, "passed"],
    [false, "failed"],
  ]);
  const { items: workspaces } = await daemon.client.listWorkspaces();
  expect(workspaces).toHaveLength(5);
  const [readme] = workspaces.filter(({ branch }) => branch.includes("readme"));
  expect(await readFile(join(readme?.path ?? "", "README.md"), "utf8")).toContain("for developers");
  // It writes beside the daemon's data and where it was told to, and nowhere else.
  expect(readdirSync(root).toSorted()).toEqual(["data", "data-workspaces", "home", "tour"]);
  expect(readdirSync(home)).toEqual([]);
  await expectDocument(printed);

  const removal = /To remove all of it\n.*:\n((?: {2}.*\n)+)/.exec(printed)?.[1] ?? "exit 9";
  const removed = await sh(`set -e\n${removal}`);
  expect([removed.status, existsSync(repo)]).toEqual([0, false]);
  expect((await daemon.client.listSessions()).items).toEqual([]);
});

test("a folder that is not empty, or in a repository, is refused and left as it was", async () => {
  await mkdir(join(root, "mine"));
  await writeFile(join(root, "mine/a.txt"), "mine\n");
  const full = await sh(`signalbox tour --yes --dir '${root}/mine'`);
  expect([full.status, full.printed]).toEqual([1, expect.stringContaining("is not empty")]);
  expect(readdirSync(join(root, "mine"))).toEqual(["a.txt"]);
  await sh("git init --quiet .", join(root, "mine"));
  const inside = await sh(`signalbox tour --yes --dir '${root}/mine/new/deep'`);
  expect([inside.status, inside.printed]).toEqual([1, expect.stringContaining("is in the repository")]);
  expect(readdirSync(join(root, "mine")).toSorted()).toEqual([".git", "a.txt"]);
});

test.skipIf(!HAS_TMUX)(
  "at a terminal Enter runs a command, s skips a step and what needs it, q leaves",
  async () => {
    const pane = new TmuxPane({ env: { HOME: home, SIGNALBOX_DATA_DIR: daemon.dataDir, NO_COLOR: "1" } });
    try {
      pane.enter(`${SIGNALBOX} tour --dir '${root}/skipped'`);
      await pane.shows("Enter runs it, s skips this step, q leaves");
      pane.press("s");
      await pane.shows("It made the repository, and 0 sessions");
      expect(pane.screen()).toContain("Left out: it needs a step that was skipped");
      pane.enter(`clear; ${SIGNALBOX} tour --dir '${root}/left'`);
      await pane.shows("Enter runs it");
      pane.press("Enter");
      await pane.shows("projects set");
      pane.press("q");
      await pane.shows("You left the tour.");
      const { items } = await daemon.client.listProjects();
      expect(items.filter(({ name }) => name === "left").map(({ settings }) => settings.check)).toEqual([
        null,
      ]);
    } finally {
      pane.close();
    }
  },
);
