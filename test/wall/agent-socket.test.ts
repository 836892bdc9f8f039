/** `signalbox mcp` behind a wall: a real daemon, real bubblewrap, and the official MCP client inside. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentSocketsFolder } from "../../src/keeper/paths.js";
import { PROGRAM } from "../cli/signalbox.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { until } from "../reliability/until.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const HAND = new URL("../../dist/test/wall/programs/inside-hand.js", import.meta.url).pathname;
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

let folder = "";
let dataDir = "";
let daemon: TestDaemon;

beforeEach(() => {
  mkdirSync(LABS, { recursive: true });
  folder = realpathSync(mkdtempSync(join(LABS, "mcp-")));
  for (const name of ["home/.config/signalbox", "home/mine/.git", "home/mine/inner", "home/others"])
    mkdirSync(join(folder, name), { recursive: true });
  rules(`allow = ["Mcp(signalbox/*)"]`);
});

afterEach(async () => {
  await daemon.end();
  expect(existsSync(agentSocketsFolder(dataDir))).toBe(false);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function rules(text: string): void {
  writeFileSync(join(folder, "home/.config/signalbox/permissions.toml"), `[permissions]\n${text}\n`);
}

async function start(data = "data"): Promise<void> {
  dataDir = join(folder, data);
  const home = join(folder, "home");
  daemon = await TestDaemon.start({
    dataDir,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), SIGNALBOX_WALL: "require" },
  });
}

/** What is run inside, and how it is told what to do. */
class Hand {
  private count = 0;

  private constructor(
    readonly id: string,
    readonly project: string,
  ) {}

  static async inside(): Promise<Hand> {
    const project = join(folder, "home/mine");
    const args = [process.execPath, HAND, PROGRAM];
    const { id } = await daemon.client.createSession({ harness: "terminal", cwd: project, args });
    return new Hand(id, project);
  }

  async does(what: object): Promise<string> {
    const at = (name: string) => join(this.project, `${name}-${this.count}.json`);
    const did = at("did");
    writeFileSync(join(this.project, "do.part"), JSON.stringify(what));
    spawnSync("mv", [join(this.project, "do.part"), at("do")]);
    await until(() => existsSync(did));
    this.count += 1;
    return readFileSync(did, "utf8");
  }

  async tool(tool: string, args: object = {}): Promise<unknown> {
    const said = await this.does({ tool, args });
    return said.startsWith("refused: ") ? said : (JSON.parse(said) as unknown);
  }
}

async function script(cwd: string, prompt: string): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: join(folder, "home", cwd),
    prompt,
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  return id;
}

describe.runIf(hasBubblewrap)("signalbox mcp behind a wall", () => {
  test("sees its own project, and acts there in the agent's name", async () => {
    await start();
    const [mate, other] = [await script("mine/inner", "Hello, mate"), await script("others", "A secret")];
    const hand = await Hand.inside();
    const listed = (await hand.tool("list_sessions")) as { sessions: { id: string }[] };
    expect(listed.sessions.map(({ id }) => id).toSorted()).toEqual([mate, hand.id].toSorted());
    expect(await hand.tool("read_session", { sessionId: mate })).toMatchObject({
      text: "[person] Hello, mate\n\nHello, mate",
    });
    expect(await hand.tool("read_session", { sessionId: other })).toContain(`refused: no session "${other}"`);
    expect(await hand.tool("send_message", { sessionId: mate, text: "Again" })).toMatchObject({
      sessionId: mate,
    });
    expect(await hand.tool("send_message", { sessionId: hand.id, text: "me" })).toContain("your own session");
    const started = (await hand.tool("start_session", { harness: "script", prompt: "Help" })) as {
      id: string;
    };
    expect(await hand.tool("wait_for_session", { sessionId: started.id, timeoutSeconds: 30 })).toMatchObject({
      status: "completed",
    });
    expect((await daemon.client.getSession(started.id)).wall?.label).toBe("walled");
    const elsewhere = join(folder, "home/others");
    expect(await hand.tool("start_session", { harness: "script", prompt: "Help", cwd: elsewhere })).toContain(
      "refused: An agent does this only for its own folder",
    );
    expect(await hand.tool("stop_session", { sessionId: started.id })).toMatchObject({ status: "stopped" });
    const { items } = await daemon.client.listAudit();
    const own = items.filter(({ principal }) => principal.kind === "agent");
    expect(own.map(({ principal, operation, sessionId }) => [principal.id, operation, sessionId])).toEqual([
      [hand.id, "send_message", mate],
      [hand.id, "create", started.id],
      [hand.id, "refused:createSession:elsewhere", hand.id],
      [hand.id, "cancel_session", started.id],
    ]);
  });

  test("past signalbox mcp there is nothing more: not with the token, not by another name, not against the rules", async () => {
    rules(`allow = ["Mcp(signalbox/list_sessions)"]\ndeny = ["Mcp(signalbox/stop_session)"]`);
    await start();
    const mate = await script("mine", "Hello");
    const hand = await Hand.inside();
    const authorization = `Bearer ${daemon.ready.token}`;
    const headers = { authorization, "signalbox-acting-for": "agent:somebody" };
    for (const http of [
      ["POST", `/v1/sessions/${mate}/asks/a1`, { decision: "approve" }],
      ["POST", "/v1/login-links", { role: "own" }],
      ["PATCH", `/v1/sessions/${mate}`, { autoApprove: true }],
      ["DELETE", `/v1/sessions/${mate}`],
      ["POST", "/v1/shutdown", {}],
      ["GET", "/v1/audit"],
      ["GET", "/v1/asks"],
    ])
      expect(await hand.does({ http, headers })).toContain('"code":"agent_may_not"');
    for (const http of [
      ["GET", `/v1/sessions/${mate}/thread`],
      ["POST", `/v1/sessions/${mate}/cancel`, {}],
      ["POST", "/v1/sessions", { harness: "script", cwd: hand.project, prompt: "Go" }],
    ])
      expect(await hand.does({ http, headers })).toMatch(/^403 .*"code":"forbidden"/);
    expect(await hand.tool("stop_session", { sessionId: mate })).toContain("is denied");
    expect(await hand.tool("read_session", { sessionId: mate })).toContain("needs a person's consent");
    expect(await hand.tool("list_sessions")).toMatchObject({ total: 2 });
    expect((await daemon.client.listSessions()).items).toHaveLength(2);
    const thread = JSON.stringify(await daemon.client.getThread(hand.id));
    for (const deed of ["delete a session", "end the daemon", "read the audit", "read what all sessions ask"])
      expect(thread).toContain(`tried to ${deed}`);
  });

  test.each(["data", `${"long-".repeat(20)}data`])(
    "goes on after a crash of the daemon, ends with the run, and leaves nothing: %s",
    async (data) => {
      await start(data);
      const sockets = agentSocketsFolder(dataDir);
      expect(sockets.startsWith("/tmp/")).toBe(data !== "data");
      const hand = await Hand.inside();
      expect(await hand.tool("list_sessions")).toMatchObject({ total: 1 });
      const { pid } = (await daemon.client.explain(hand.id)).process;
      await daemon.kill("SIGKILL");
      expect(await hand.does({ http: ["GET", "/v1/sessions/self"] })).toBe("ECONNREFUSED");
      expect(await hand.tool("list_sessions")).toContain("refused: ");
      // Of a run that nobody knows.
      mkdirSync(join(sockets, "unknown.1"));
      await start(data);
      expect(await hand.tool("list_sessions")).toMatchObject({ total: 1 });
      expect((await daemon.client.explain(hand.id)).process.pid).toBe(pid);
      expect(readdirSync(sockets)).toEqual([`${hand.id}.1`]);
      await daemon.client.cancel(hand.id);
      await expect.poll(() => readdirSync(sockets)).toEqual([]);
      await daemon.client.resume(hand.id);
      await expect.poll(() => readdirSync(sockets)).toEqual([`${hand.id}.2`]);
      await expect.poll(async () => (await daemon.client.explain(hand.id)).process.pid).not.toBe(null);
      await daemon.kill("SIGKILL");
      process.kill(await daemon.keeperPid(), "SIGKILL");
      // The run has ended with its keeper, while there was no daemon.
      await start(data);
      await expect.poll(() => readdirSync(sockets)).toEqual([]);
    },
  );
});
