/** The repository of the tour: small, real, and in a folder of its own. The demo knows these files (`demo-script.ts`). */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CommandFailure } from "../command.js";
import { demoFolder } from "../demo-sessions.js";
import { EXIT } from "../exit-codes.js";

const FILES: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "signalbox-tour",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "src/clock.js": `/** Minutes since midnight of a time such as "7:05". */
export function minutes(time) {
  const [hours, rest] = time.split(":").map(Number);
  return hours * 60 + rest;
}
`,
  "src/board.js": `/** One line for each train. */
export function board(trains) {
  return trains.map(({ time, to }) => \`\${time.padStart(5)}  \${to}\`);
}
`,
  "test/clock.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { minutes } from "../src/clock.js";

test("a time is minutes since midnight", () => {
  assert.equal(minutes("7:05"), 425);
  assert.equal(minutes("0:00"), 0);
});
`,
  "test/board.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { board } from "../src/board.js";

test("a train is a line", () => {
  assert.deepEqual(board([{ time: "7:05", to: "Bern" }]), [" 7:05  Bern"]);
});
`,
  "check-order.js": `// Fails as long as the board is not sorted by time: for the race.
import assert from "node:assert/strict";
import { board } from "./src/board.js";

const trains = [
  { time: "10:15", to: "Basel" },
  { time: "7:05", to: "Bern" },
];
assert.deepEqual(board(trains), [" 7:05  Bern", "10:15  Basel"]);
`,
};

/** Of whoever runs the tour, as it may stand in their own settings, nothing is needed and nothing is used. */
const SETTINGS = [
  ["user.name", "Signalbox tour"],
  ["user.email", "tour@example.invalid"],
  ["commit.gpgSign", "false"],
] as const;

const run = promisify(execFile);

/** `wanted`: as the person named it; otherwise the first free one beside the data folder. Gives its real path. */
export async function makeTourRepository(wanted: string | undefined, dataDir: string): Promise<string> {
  const folder = wanted ?? freeFolder(dataDir);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandFailure(
      `${folder} is not empty`,
      "The tour makes a repository of its own: name a new folder with --dir.",
      EXIT.refused,
    );
  await refuseInside(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const repository = await realpath(folder);
  await git(repository, "init", "--quiet", "--initial-branch=main", ".");
  for (const [name, value] of SETTINGS) await git(repository, "config", name, value);
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    await writeFile(join(repository, path), text);
  }
  await git(repository, "add", "--all");
  await git(repository, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "A board of trains");
  return repository;
}

function freeFolder(dataDir: string): string {
  for (let number = 1; ; number += 1) {
    const folder = join(demoFolder(dataDir), number === 1 ? "tour" : `tour-${number}`);
    if (!existsSync(folder)) return folder;
  }
}

/** A repository inside another would be in somebody's way. */
async function refuseInside(folder: string): Promise<void> {
  let above = folder;
  while (!existsSync(above)) above = dirname(above);
  const inside = await git(above, "rev-parse", "--show-toplevel").catch((error: unknown) => {
    if (error instanceof CommandFailure) throw error;
    return null;
  });
  if (inside === null) return;
  throw new CommandFailure(
    `${folder} is in the repository ${inside}`,
    "The tour makes a repository of its own: name a folder elsewhere with --dir.",
    EXIT.refused,
  );
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  // Inside a hook these lead to the repository that it is of.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  try {
    return (await run("git", args, { cwd, env })).stdout.trim();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new CommandFailure("git is not installed", "Install git, then start the tour again.", EXIT.refused);
  }
}
