/** `config.toml`: how agents are run, by a person's own file and by a project's, and what is said of a broken one. */
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CreateSession } from "../../src/protocol/api-schemas.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-config-")));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

async function put(path: string, text: string, mode = 0o644): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

/** A person with an agent that writes down how it was called, says something, and ends. */
async function person() {
  const home = await mkdtemp(join(root, "home-"));
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    PATH: "/usr/bin:/bin",
    MY_SECRET_KEY: "hush-hush-hush",
  };
  const agent = await put(
    join(home, "broken-agent"),
    `#!/bin/sh
case "$1" in --version) echo 9.8.7; exit 0;; esac
printf '%s\\n' "$MARK" "$@" > "$HOME/called"
echo "broken-agent: unknown option --nope (key $MY_SECRET_KEY)" >&2
exit 7
`,
    0o755,
  );
  const project = join(home, "project");
  await mkdir(project);
  const config = join(env.XDG_CONFIG_HOME, "signalbox/config.toml");
  const start = () => TestDaemon.start({ dataDir: join(home, "data"), env, inherit: false });
  const called = async () => (await readFile(join(home, "called"), "utf8")).trimEnd().split("\n");
  return { home, env, agent, project, config, start, called };
}

/** The error of a session whose agent does not live long. */
async function failureOf({ client }: TestDaemon, session: CreateSession) {
  const { id } = await client.createSession(session);
  await expect
    .poll(async () => {
      const { status, state } = await client.getSession(id);
      return { status, alive: state.alive };
    })
    .toEqual({ status: "error", alive: false });
  const { error, model } = await client.getSession(id);
  return { code: error?.code, message: error?.message, model };
}

const ENDED = "the agent ended with code 7: broken-agent: unknown option --nope (key [redacted])";

test("an agent's command, arguments, environment and model; and why it ended", async () => {
  const { home, agent, project, config, start, called } = await person();
  const section = (name: string) =>
    `[harness.${name}]\ncommand = "${agent}"\nargs = ["--from", "config"]\nmodel = "own-model"\nenv = { MARK = "${name}", MY_SECRET_KEY = "configured-${name}" }\n`;
  await put(config, ["claude", "codex", "gemini", "my-agent"].map(section).join("\n"));
  const daemon = await start();
  try {
    const { items } = await daemon.client.listHarnesses();
    const reports = items.filter(({ path }) => path === agent).map(({ name, version }) => [name, version]);
    expect(reports).toEqual([
      ["claude", "9.8.7"],
      ["codex", "9.8.7"],
      ["gemini", "9.8.7"],
      ["my-agent", null],
    ]);
    for (const harness of ["claude", "codex", "gemini", "my-agent"]) {
      const failure = await failureOf(daemon, { harness, prompt: "hello", cwd: project, args: ["--more"] });
      expect(failure).toEqual({ code: "harness_failed", message: ENDED, model: "own-model" });
      const [mark, ...args] = await called();
      expect([mark, args.slice(-3)]).toEqual([harness, ["--from", "config", "--more"]]);
      await rm(join(home, "called"));
    }
    const failure = await failureOf(daemon, {
      harness: "claude",
      prompt: "x",
      cwd: project,
      model: "asked",
      env: { MARK: "m", MY_SECRET_KEY: "given to the session" },
    });
    expect(failure).toEqual({ code: "harness_failed", message: ENDED, model: "asked" });
    expect((await called())[0]).toBe("m");
  } finally {
    await daemon.end();
  }
});

test("a terminal's program", async () => {
  const { agent, project, config, start, called } = await person();
  await put(config, `[harness.terminal]\ncommand = "${agent}"\nargs = ["--from", "config"]\n`);
  const daemon = await start();
  try {
    await daemon.client.createSession({ harness: "terminal", cwd: project });
    await expect.poll(called).toEqual(["", "--from", "config"]);
  } finally {
    await daemon.end();
  }
});

test("a project's configuration counts when its folder is trusted", async () => {
  const { agent, project, start, called } = await person();
  const file = await put(
    join(project, ".signalbox/config.toml"),
    `[harness.claude]\ncommand = "${agent}"\nenv = { MARK = "project" }\n\n[harness.house-agent]\ncommand = "${agent}"\n`,
  );
  const daemon = await start();
  const { client } = daemon;
  try {
    await expect(client.createSession({ harness: "claude", prompt: "hello", cwd: project })).rejects.toThrow(
      "Claude Code is not installed",
    );
    await expect(client.createSession({ harness: "house-agent", prompt: "x", cwd: project })).rejects.toThrow(
      `${file} configures it, but is not used: its folder is not trusted`,
    );
    expect(daemon.log()).toContain("a project's configuration is not used");
    expect(daemon.log()).toContain(file);
    const trusted = await client.trustFolder({ dir: project });
    expect(trusted.allows).toEqual([
      `[harness.claude] command = ${JSON.stringify(agent)}`,
      '[harness.claude] env = {"MARK":"project"}',
      `[harness.house-agent] command = ${JSON.stringify(agent)}`,
    ]);
    expect((await failureOf(daemon, { harness: "claude", prompt: "hello", cwd: project })).message).toBe(
      ENDED,
    );
    expect((await called())[0]).toBe("project");
    expect((await failureOf(daemon, { harness: "house-agent", prompt: "x", cwd: project })).message).toBe(
      ENDED,
    );
    await writeFile(file, `[harness.claude]\ncommand = 5\n`);
    await expect(client.createSession({ harness: "claude", prompt: "hello", cwd: project })).rejects.toThrow(
      "Claude Code is not installed",
    );
    await client.trustFolder({ dir: project });
    await expect(client.createSession({ harness: "claude", prompt: "x", cwd: project })).rejects.toThrow(
      `${file}:2:1: "harness.claude.command": expected a text in quotes`,
    );
  } finally {
    await daemon.end();
  }
});

test("a broken configuration stops the start, with file and line", async () => {
  const { home, env, config } = await person();
  await put(config, '[harness.claude]\nmodel = "x"\ncomand = "claude"\n');
  const up = await runSignalbox(["up", "--port", "0", "--data-dir", join(home, "data")], "", env);
  expect(up.code).not.toBe(0);
  expect(up.stderr).toContain(
    `${config}:3:1: "harness.claude.comand" is not known; expected command, args, env, model and idle_after`,
  );
});
