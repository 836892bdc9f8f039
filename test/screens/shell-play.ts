/** Plain shells and full-screen programs: no agent, so that nothing here may be read as one. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Activity } from "../../src/core/index.js";
import { LiveTerminal, pause, type Size } from "./live-terminal.js";
import type { Shots } from "./shots.js";

const SIZE: Size = { cols: 80, rows: 24 };

const CLAUDE_DIALOG = `────────────────────────────────────────────────────────────────────────────────
 Bash command
 run a command
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 rm -rf build
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend
`;

const CODEX_DIALOG = `  Would you like to run the following command?

  $ rm -rf build

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel
`;

interface Step {
  readonly name: string;
  readonly activity: Activity;
  readonly prompt: string;
  readonly types: string;
}

const PLAIN = "dev@box:\\w$ ";

const STEPS: readonly Step[] = [
  { name: "01-bash-idle", activity: "shell", prompt: PLAIN, types: "" },
  { name: "02-root-idle", activity: "shell", prompt: "[root@box proj]# ", types: "ls -la\r" },
  { name: "03-bare-idle", activity: "shell", prompt: "$ ", types: "echo hi\r" },
  { name: "04-zsh-like-idle", activity: "shell", prompt: "dev@box proj % ", types: "echo hi\r" },
  { name: "05-typed", activity: "shell", prompt: PLAIN, types: "git commit -m 'not sent yet" },
  { name: "06-running", activity: "unknown", prompt: PLAIN, types: "sleep 60\r" },
  { name: "07-printing", activity: "unknown", prompt: PLAIN, types: "seq 1 50; sleep 60\r" },
  { name: "08-claude-lookalike", activity: "shell", prompt: PLAIN, types: "cat claude.txt\r" },
  {
    name: "09-claude-lookalike-held",
    activity: "unknown",
    prompt: PLAIN,
    types: "cat claude.txt; sleep 60\r",
  },
  { name: "10-codex-lookalike", activity: "shell", prompt: PLAIN, types: "cat codex.txt\r" },
  { name: "11-codex-lookalike-held", activity: "unknown", prompt: PLAIN, types: "cat codex.txt; sleep 60\r" },
  { name: "12-less", activity: "unknown", prompt: PLAIN, types: "less claude.txt\r" },
  { name: "13-vim", activity: "unknown", prompt: PLAIN, types: "vim -u NONE claude.txt\r" },
  { name: "14-read", activity: "unknown", prompt: PLAIN, types: "read -p 'Continue? [y/N] '\r" },
  { name: "15-python", activity: "unknown", prompt: PLAIN, types: "python3 -q\r" },
  { name: "16-theme-idle", activity: "unknown", prompt: "❯ ", types: "echo hi\r" },
  { name: "17-quoted-prompt", activity: "unknown", prompt: PLAIN, types: "echo 'dev@box:~$ ls'; sleep 60\r" },
];

export async function playShells(home: string, project: string, shots: Shots): Promise<void> {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "claude.txt"), CLAUDE_DIALOG);
  writeFileSync(join(project, "codex.txt"), CODEX_DIALOG);
  for (const step of STEPS) await playStep(step, home, project, shots);
}

async function playStep(step: Step, home: string, project: string, shots: Shots): Promise<void> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    PS1: step.prompt,
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    LANG: "C.UTF-8",
  };
  const launch = { program: "bash", args: ["--norc", "--noprofile", "-i"], cwd: project, env };
  const terminal = new LiveTerminal(launch, SIZE);
  await pause(500);
  await terminal.type(step.types);
  await pause(1_000);
  const file = `shell-${SIZE.cols}x${SIZE.rows}/${step.name}.ansi`;
  shots.take(terminal, { file, agent: null, activity: step.activity, ...SIZE });
  terminal.close();
}
