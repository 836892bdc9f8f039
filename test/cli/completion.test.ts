/** Completion in the real shells, of the real program. */
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.js";
import { HAS_TMUX, TmuxPane } from "../e2e/tmux-pane.js";
import { FakeDaemon } from "./fake-daemon.js";
import { buildSignalbox, PROGRAM, runSignalbox } from "./signalbox.js";
import { sessionSummary } from "./wire-values.js";

let folder = "";
let daemon: FakeDaemon;
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  buildSignalbox();
  folder = mkdtempSync(join(tmpdir(), "signalbox-completion-"));
  const program = join(folder, "signalbox");
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@"\n`,
  );
  chmodSync(program, 0o755);
  daemon = await FakeDaemon.start({
    "GET /v1/sessions": [
      200,
      {
        items: [
          sessionSummary({ id: "abcdefgh1234", title: "Fix: the login", status: "error" }),
          sessionSummary({ id: "xyzxyzxy9876", title: "Other" }),
        ],
      },
    ],
    "GET /v1/harnesses": [
      200,
      {
        items: [
          { name: "claude", installed: true, version: "2.1.0" },
          { name: "codex", installed: false, version: null },
          { name: "demo", installed: true, version: null },
        ],
      },
    ],
  });
  env = { ...process.env, ...daemon.env, PATH: `${folder}:${process.env["PATH"] ?? ""}`, HOME: folder };
});

afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const offered = async (...words: readonly string[]) => {
  const { stdout, stderr } = await runSignalbox(["completion", "--words", "--", ...words], "", daemon.env);
  expect(stderr).toBe("");
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0]);
};

test("every command is offered, and of each its own options", async () => {
  expect(await offered("")).toEqual([...Object.keys(COMMANDS), "--help", "--version"]);
  expect(await offered("ls", "--")).toEqual([
    "--status",
    "--cwd",
    "--harness",
    "--watch",
    "--json",
    "--data-dir",
    "--help",
  ]);
  expect(await offered("permissions", "add", "--p")).toEqual(["--project"]);
});

test.each([
  [["app"], ["approve"]],
  [
    ["show", ""],
    ["abcdefgh", "xyzxyzxy"],
  ],
  [["send", "abc"], ["abcdefgh"]],
  [["logs", "-f", "x"], ["xyzxyzxy"]],
  [["show", "abcdefgh", ""], []],
  [
    ["run", ""],
    ["claude", "demo"],
  ],
  [["run", "claude", ""], []],
  [["run", "--cwd", ""], []],
  [["run", "--cwd", "/tmp", "c"], ["claude"]],
  [
    ["ls", "--status", "wai"],
    ["waiting_approval", "waiting_input"],
  ],
  [["ls", "--status", "error,sto"], ["error,stopped"]],
  [["approve", "--scope", "s"], ["session"]],
  [
    ["permissions", "t"],
    ["test", "trust"],
  ],
  [
    ["machine", ""],
    ["session", "turn", "roster", "terminal", "workspace", "tour"],
  ],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["nothing", ""], []],
])("%j can become %j", async (words, found) => {
  expect(await offered(...words)).toEqual(found);
});

test("without a daemon none is started, and nothing is said", async () => {
  const SIGNALBOX_DATA_DIR = join(folder, "nobody");
  const words = ["completion", "--words", "--", "show", ""];
  expect(await runSignalbox(words, "", { SIGNALBOX_DATA_DIR })).toEqual({ code: 0, stdout: "", stderr: "" });
});

const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** Not at once: the daemon that it asks is in this process. */
async function said(shell: string, script: string): Promise<readonly string[]> {
  const { stdout, stderr } = await promisify(execFile)(shell, ["-c", script], { env });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

describe.runIf(has("bash"))("bash", () => {
  const complete = (...words: readonly string[]) =>
    said(
      "bash",
      `eval "$(signalbox completion bash)"; COMP_WORDS=(signalbox ${words.map((word) => `'${word}'`).join(" ")})
       COMP_CWORD=${words.length}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );

  test("completes commands, ids and statuses", async () => {
    expect(await complete("expl")).toEqual(["explain"]);
    expect(await complete("show", "")).toEqual(["abcdefgh", "xyzxyzxy"]);
    expect(await complete("ls", "--status", "wai")).toEqual(["waiting_approval", "waiting_input"]);
  });
});

describe.runIf(has("fish"))("fish", () => {
  const complete = (line: string) =>
    said("fish", `signalbox completion fish | source; complete -C '${line}'`);

  test("completes commands, ids and statuses", async () => {
    expect(await complete("signalbox expl")).toEqual(["explain\twhy a session is in its state"]);
    expect(await complete("signalbox show a")).toEqual(["abcdefgh\terror  Fix: the login"]);
    expect((await complete("signalbox ls --status wai")).toSorted()).toEqual([
      "waiting_approval",
      "waiting_input",
    ]);
  });
});

describe.runIf(has("zsh") && HAS_TMUX)("zsh", () => {
  test("completes commands and ids at a prompt", async () => {
    const { SIGNALBOX_DATA_DIR = "" } = env;
    const pane = new TmuxPane({ cols: 100, env: { SIGNALBOX_DATA_DIR, HOME: folder } });
    try {
      pane.enter(`PATH=${folder}:$PATH PS1='%% ' exec zsh -f`);
      await pane.shows("% ");
      pane.enter('eval "$(signalbox completion zsh)"; echo loa""ded');
      await pane.shows("loaded");
      pane.type("signalbox expl");
      pane.press("Tab");
      await pane.shows(/^% signalbox explain *$/m);
      pane.press("C-u");
      pane.type("signalbox show a");
      pane.press("Tab");
      await pane.shows(/^% signalbox show abcdefgh *$/m);
      pane.press("C-u");
      pane.type("signalbox show ");
      pane.press("Tab");
      await pane.shows(/abcdefgh +-- error {2}Fix: the login/);
    } finally {
      pane.close();
    }
  });
});
