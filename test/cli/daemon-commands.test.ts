/** The commands about the daemon itself, as far as a scripted server can stand in for it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FakeDaemon, TOKEN } from "./fake-daemon.js";
import { buildSignalbox, parseLines, PROGRAM, runSignalbox } from "./signalbox.js";
import { sessionSummary } from "./wire-values.js";

/** As a person in a clone calls it. */
const PROGRAM_WORDS = `node ${relative(process.cwd(), PROGRAM)}`;

beforeAll(buildSignalbox);

const HARNESSES = [
  {
    name: "claude",
    installed: true,
    version: "2.1",
    path: "/bin/claude",
    login: "ok",
    problems: [],
    hint: null,
  },
  {
    name: "codex",
    installed: false,
    version: null,
    path: null,
    login: "unknown",
    problems: ["not found", "odd"],
    hint: "npm install -g @openai/codex",
  },
  {
    name: "gemini",
    installed: true,
    version: "0.61",
    path: "/bin/gemini",
    login: "missing",
    problems: ["nobody is logged in"],
    hint: "run gemini, and choose how\nto log in",
  },
];

describe("with a daemon", () => {
  let daemon: FakeDaemon;
  beforeEach(async () => {
    daemon = await FakeDaemon.start({
      "GET /v1/sessions": [
        200,
        {
          items: [
            sessionSummary({ wall: { label: "none", network: null, sentence: "No wall: none was wanted." } }),
            sessionSummary({ status: "error" }),
            sessionSummary(),
          ],
        },
      ],
      "GET /v1/asks": [200, { items: [] }],
      "GET /v1/roster": [200, { connected: "s1", seats: [] }],
      "POST /v1/login-links": [201, { url: "http://127.0.0.1/login?code=1" }],
      "GET /v1/harnesses": [
        200,
        {
          items: HARNESSES,
        },
      ],
    });
  });
  afterEach(() => daemon.close());

  test("status says what it has", async () => {
    expect(await daemon.run(["status"])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        `running   ${daemon.url}, process ${process.pid}, version 1.2.3, for 2h`,
        `data      ${daemon.dataDir}`,
        "sessions  2 Working, 1 Failed",
        "need you  0",
        "connected s1 gets messages without an ID",
        "no wall   1 session runs without a wall: s1; signalbox show says why",
        "",
      ].join("\n"),
    });
    const { stdout } = await daemon.run(["status", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      running: true,
      url: daemon.url,
      pid: process.pid,
      version: "1.2.3",
      uptimeMs: 7_200_000,
      dataDir: daemon.dataDir,
      sessions: { streaming: 2, error: 1 },
      asks: 0,
      connected: "s1",
      healthy: true,
      readOnly: false,
    });
  });

  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  const NEWER = `signalbox: the daemon is newer (1.2.3) than this program (${version}); it stays\n`;

  test("up finds that it runs, and says where", async () => {
    const { url, dataDir } = daemon;
    expect(await daemon.run(["up"])).toEqual({
      code: 0,
      stderr: NEWER,
      stdout: `up at ${url}, process ${process.pid}, data in ${dataDir}\n`,
    });
    expect(await daemon.run(["up", "--json", "--port", "1"])).toEqual({
      code: 0,
      stderr: NEWER,
      stdout: `${JSON.stringify({ url, token: TOKEN, pid: process.pid, dataDir })}\n`,
    });
    expect(await daemon.run(["up", "--foreground"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `${NEWER}signalbox: the daemon runs already at ${url} (process ${process.pid})\nOpen its page with ${PROGRAM_WORDS} open, or end it with ${PROGRAM_WORDS} down.\n`,
    });
  });

  test("up --json --open prints one value; the link is beside it", async () => {
    // Without a browser to open.
    const child = daemon.spawn(["up", "--json", "--open"], { PATH: "" });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(parseLines(stdout)).toHaveLength(1);
    expect(stderr.split("\n").slice(-3)).toEqual([
      "http://127.0.0.1/login?code=1",
      "signalbox: no browser could be opened; the link works once, in any browser here",
      "",
    ]);
  });

  test("open prints the link", async () => {
    const link = "http://127.0.0.1/login?code=1";
    expect(await daemon.run(["open"])).toEqual({ code: 0, stderr: "", stdout: `${link}\n` });
    expect((await daemon.run(["open", "--json"])).stdout).toBe(`${JSON.stringify({ url: link })}\n`);
  });

  test("harnesses says what is installed, what is wrong, and what to do about it", async () => {
    expect(await daemon.run(["harnesses"])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "AGENT   VERSION        LOGIN    WHERE, OR WHAT IS WRONG",
        "claude  2.1            ok       /bin/claude",
        "codex   not installed           not found; odd",
        "gemini  0.61           missing  nobody is logged in",
        "",
        "codex: npm install -g @openai/codex",
        "gemini: run gemini, and choose how to log in",
        "",
      ].join("\n"),
    });
    const { stdout } = await daemon.run(["harnesses", "--json"]);
    expect(JSON.parse(stdout)).toEqual(HARNESSES);
  });
});

describe("without a daemon", () => {
  let dataDir = "";
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "signalbox-none-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, maxRetries: 5 }));

  const run = (args: readonly string[]) => runSignalbox([...args, "--data-dir", dataDir]);

  test("status says so and starts none", async () => {
    expect(await run(["status"])).toEqual({
      code: 1,
      stderr: "",
      stdout: `not running (data folder ${dataDir}); signalbox up starts it\n`,
    });
    expect((await run(["status", "--json"])).stdout).toBe(`${JSON.stringify({ running: false, dataDir })}\n`);
  });

  test("down has nothing to do", async () => {
    expect(await run(["down"])).toEqual({ code: 0, stderr: "", stdout: "not running\n" });
    expect(await runSignalbox(["down", "--all", "--json", "--data-dir", join(dataDir, "none")])).toEqual({
      code: 0,
      stderr: "",
      stdout: '{"stopped":false}\n',
    });
  });

  test("a wrong port is refused before anything is started", async () => {
    expect(await run(["up", "--port", "http"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "signalbox: not a port: http\nA port is a number up to 65535; 0 picks a free one.\n",
    });
  });
});
