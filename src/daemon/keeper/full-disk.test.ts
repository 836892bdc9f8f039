/** A keeper on a disk of 1 MiB, which the test fills: agents wait, and nothing is lost. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildKeeper, KEEPER, shellRun } from "../../../test/reliability/built-keeper.js";
import { until } from "../../../test/reliability/until.js";
import { keeperSecret } from "../../keeper/keeper-secret.js";
import { runFolder } from "../../keeper/paths.js";
import { spoolSegmentName } from "../../protocol/keeper-format.js";
import { KeeperClient, type RunNotice } from "./keeper-client.js";

const DISK = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-disk-")));
const BALLAST = join(DISK, "ballast");
/** Why there is no disk of 1 MiB; empty: there is one. */
let whyNot = "";
let client: KeeperClient | null = null;
let notices: RunNotice[] = [];

beforeAll(() => {
  const mount = ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", DISK];
  const mounted = spawnSync("mount", mount, { encoding: "utf8" });
  if (mounted.status !== 0) whyNot = `a small disk cannot be mounted: ${mounted.stderr}`;
  buildKeeper();
});

beforeEach(() => {
  notices = [];
});

afterEach(async () => {
  await client?.shutdown();
  client?.close();
  client = null;
  for (const name of readdirSync(DISK)) rmSync(join(DISK, name), { recursive: true, force: true });
});

afterAll(() => {
  if (whyNot === "") execFileSync("umount", ["-l", DISK]);
  rmSync(DISK, { recursive: true });
});

async function connect(): Promise<KeeperClient> {
  const connection = await KeeperClient.connect({
    dataDir: DISK,
    keeperEntry: KEEPER,
    onNotice: (notice) => notices.push(notice),
    onClosed: () => undefined,
  });
  ({ client } = connection);
  return connection.client;
}

/** As much as there is room for. */
function fill(): void {
  const written = spawnSync("dd", ["if=/dev/zero", `of=${BALLAST}`, "bs=1k"]);
  expect(written.status).toBe(1);
}

test("a keeper lives on a full disk, and starts runs when there is room again", async (context) => {
  if (whyNot !== "") context.skip(whyNot);
  // A data folder in use has it.
  keeperSecret(DISK);
  fill();
  const keeper = await connect();
  const pidFile = join(tmpdir(), `${DISK.split("/").at(-1) ?? ""}.pid`);
  const asked = shellRun("s.1", `echo $$ > ${pidFile}; exec sleep 1000`, "/");
  await expect(keeper.spawn(asked)).rejects.toMatchObject({ code: "disk_full" });
  expect(existsSync(runFolder(DISK, "s.1"))).toBe(false);
  rmSync(BALLAST);
  const pid = await keeper.spawn(asked);
  expect(pid).toBeGreaterThan(0);
  await until(() => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")) === pid);
  rmSync(pidFile);
});

test("an agent waits for a full disk, and what it prints is whole", async (context) => {
  if (whyNot !== "") context.skip(whyNot);
  const keeper = await connect();
  writeFileSync(BALLAST, Buffer.alloc(600 * 1024));
  // So much more than there is room for that the agent can print it all, and die.
  const total = 520_000;
  const agent = await keeper.spawn(
    shellRun("s.1", `seq 1 1000000 | head -c ${total}; echo complaint >&2`, "/"),
  );
  const end = () =>
    notices.findLast((notice) => notice.type === "output" || notice.type === "exit")?.end ?? 0;
  await until(() => end() > 300_000);
  const isThere = () => spawnSync("ps", ["-p", String(agent)]).status === 0;
  await until(() => !isThere());
  await sleep(2_500);
  const stalledAt = end();
  expect(stalledAt).toBeLessThan(450_000);
  expect(notices.filter(({ type }) => type === "exit")).toEqual([]);
  rmSync(BALLAST);
  await until(() => notices.some(({ type }) => type === "exit"));
  expect(notices.at(-1)).toEqual({ type: "exit", runId: "s.1", end: total, exit: { code: 0, signal: null } });
  const expected = execFileSync("sh", ["-c", `seq 1 1000000 | head -c ${total}`]);
  const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");
  expect(hash(readFileSync(join(runFolder(DISK, "s.1"), spoolSegmentName(0))))).toBe(hash(expected));
});
