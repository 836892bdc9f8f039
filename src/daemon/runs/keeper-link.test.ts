/** The link, and keepers of other releases: sockets that speak as they do, and the built keeper. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildKeeper, KEEPER } from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { until } from "../../../test/reliability/until.js";
import { keeperSocketPath } from "../../keeper/paths.js";
import type { RunReport } from "../../protocol/keeper.js";
import { keeperCheck } from "../health/care.js";
import { KeeperTooNew } from "../keeper/keeper-client.js";
import { startFailure } from "../start-failure.js";
import { parseOptions } from "../options.js";
import { KeeperLink, type KeeperOrigin } from "./keeper-link.js";

const { version: OURS } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const RUN: RunReport = {
  runId: "s.1",
  pid: 1,
  startedAtMs: 1,
  outEnd: 0,
  hooksEnd: 0,
  lastEffectId: null,
  exit: null,
};

let dataDir = "";
let link: KeeperLink | null = null;
const servers: Server[] = [];

beforeAll(buildKeeper);
beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-link-")));
});
afterEach(async () => {
  link?.close();
  link = null;
  for (const server of servers.splice(0)) server.close();
  await endRealKeeper();
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

function realKeeper(): number {
  try {
    return Number(readFileSync(join(dataDir, "keeper.pid"), "utf8"));
  } catch {
    return 0;
  }
}

async function endRealKeeper(): Promise<void> {
  const pid = realKeeper();
  if (pid === 0 || !isAlive(pid)) return;
  process.kill(pid, "SIGTERM");
  await until(() => !isAlive(pid));
}

/** Says this welcome, and ends when it is told to. */
async function otherKeeper(welcome: object): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      const { id, type } = JSON.parse(line) as { id: number; type: string };
      asked.push(type);
      const answer = type === "hello" ? { type: "welcome", id, pid: 4711, ...welcome } : { type: "done", id };
      socket.write(`${JSON.stringify(answer)}\n`);
      if (type !== "shutdown") return;
      server.close();
      socket.end();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(keeperSocketPath(dataDir), resolve);
  });
  return asked;
}

function open(): { readonly link: KeeperLink; readonly others: KeeperOrigin[] } {
  const others: KeeperOrigin[] = [];
  link = new KeeperLink({
    dataDir,
    keeperEntry: KEEPER,
    release: OURS,
    isHeld: false,
    onNotice: () => undefined,
    onConnected: () => Promise.resolve(),
    onProblem: () => undefined,
    onState: () => undefined,
    onBusy: () => undefined,
    onStranger: () => undefined,
    onOther: (origin) => others.push(origin),
  });
  return { link, others };
}

async function checkOf(welcome: object) {
  const asked = await otherKeeper(welcome);
  const opened = open();
  await opened.link.ready;
  return { asked, others: opened.others, check: keeperCheck(opened.link.state) };
}

test("a keeper of this release answers, and that is all", async () => {
  const { link: opened, others } = open();
  await opened.ready;
  expect([keeperCheck(opened.state), others]).toEqual([
    { name: "keeper", ok: true, detail: "it answers", remedy: null },
    [],
  ]);
});

test.each([
  ["0.0.9", 2, "0.0.9"],
  [undefined, 2, "which one it does not say"],
  [undefined, 1, "which one it does not say"],
])("an older one (%s, protocol %i) keeps its agents, and health says so", async (release, version, named) => {
  const { asked, others, check } = await checkOf({ version, release, runs: [RUN] });
  expect(check).toEqual({
    name: "keeper",
    ok: true,
    heading: "The keeper is of an older Signalbox",
    detail: `it answers; it is of an older Signalbox (${named})`,
    remedy: `It runs the agents that were started before the upgrade, and gives way to one of ${OURS} when the daemon starts and no agent runs. signalbox down --all, then signalbox up: at once, and its agents end.`,
  });
  expect([asked, others]).toEqual([["hello"], [{ kind: "older", release: release ?? null, ours: OURS }]]);
});

test("an older one without agents gives way to one of ours", async () => {
  const { asked, others, check } = await checkOf({ version: 1, runs: [] });
  expect(asked).toEqual(["hello", "hello", "shutdown"]);
  expect([check.detail, others, isAlive(realKeeper())]).toEqual(["it answers", [], true]);
});

test("a newer one serves, and health names the release to go back to", async () => {
  const { asked, check } = await checkOf({ version: 3, release: "99.1.0", runs: [] });
  expect([check, asked]).toEqual([
    {
      name: "keeper",
      ok: true,
      heading: "The keeper is of a newer Signalbox",
      detail: `it answers; it is of a newer Signalbox (99.1.0) than this daemon (${OURS})`,
      remedy: "Use signalbox 99.1.0 again: signalbox up of it replaces this daemon, and agents go on.",
    },
    ["hello"],
  ]);
});

test("one whose protocol is newer is a problem, with what to do", async () => {
  const { check } = await checkOf({ version: 4, release: "99.1.0", runs: [] });
  expect(check).toEqual({
    name: "keeper",
    ok: false,
    heading: "Agents cannot be reached",
    detail: `the keeper is of a newer Signalbox (99.1.0), and this daemon (${OURS}) does not know its protocol`,
    remedy:
      "Start the daemon with that Signalbox again, and agents go on; or signalbox down --all ends them, and signalbox up starts anew.",
  });
});

test("one whose welcome is not understood stops the start at once, and is named", async () => {
  await otherKeeper({ version: 4, release: "99.1.0", runs: { "s.1": "of a shape to come" } });
  const error: unknown = await open().link.ready.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(KeeperTooNew);
  expect(await startFailure(error, parseOptions(["--data-dir", dataDir], {}))).toEqual({
    message: "The keeper is of a newer Signalbox: it speaks protocol 4, and this daemon 3.",
    hint: "Its agents go on. Start the daemon with the newer Signalbox; or end the keeper and its agents with kill 4711.",
  });
});
