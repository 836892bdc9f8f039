import type { Command } from "./command.js";

export interface CommandEntry {
  readonly summary: string;
  /** A line that somebody could type; its ids are made up. */
  readonly example: string;
  readonly load: () => Promise<Command>;
}

/** Loaded on demand: `signalbox ls` must not pay for what it does not use. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: "start a session and follow it to its end",
    example: 'signalbox run claude "Fix the failing test" --cwd ~/src/app',
    load: async () => (await import("./commands/run.js")).runCommand,
  },
  new: {
    summary: "start a session and print its id",
    example: 'signalbox new demo "Show me" --title "A first look"',
    load: async () => (await import("./commands/new.js")).newCommand,
  },
  ask: {
    summary: "ask the built-in agent at the prompt; it may suggest a command",
    example: 'signalbox ask "Which files are the largest here?"',
    load: async () => (await import("./commands/ask.js")).askCommand,
  },
  ls: {
    summary: "list the sessions, newest first",
    example: "signalbox ls --status failed,stopped --watch",
    load: async () => (await import("./commands/ls.js")).lsCommand,
  },
  top: {
    summary: "all sessions, live, with keys to answer them",
    example: "ssh -t devbox signalbox top",
    load: async () => (await import("./commands/top.js")).topCommand,
  },
  show: {
    summary: "show one session",
    example: "signalbox show 4f1c",
    load: async () => (await import("./commands/show.js")).showCommand,
  },
  explain: {
    summary: "say why a session is in its state",
    example: "signalbox explain 4f1c",
    load: async () => (await import("./commands/explain.js")).explainCommand,
  },
  logs: {
    summary: "what was said and done in a session",
    example: "signalbox logs -f 4f1c",
    load: async () => (await import("./commands/logs.js")).logsCommand,
  },
  diff: {
    summary: "how a session's files changed",
    example: "signalbox diff 4f1c --turn 2 --stat",
    load: async () => (await import("./commands/diff.js")).diffCommand,
  },
  review: {
    summary: "comment on a session's changes in your editor, and send it to the agent",
    example: "signalbox review 4f1c --turn 2",
    load: async () => (await import("./commands/review.js")).reviewCommand,
  },
  rewind: {
    summary: "put a session's files back to the end of a turn",
    example: "signalbox rewind 4f1c 2",
    load: async () => (await import("./commands/rewind.js")).rewindCommand,
  },
  attach: {
    summary: "a session's terminal in this one",
    example: "signalbox attach 4f1c",
    load: async () => (await import("./commands/attach.js")).attachCommand,
  },
  wait: {
    summary: "wait until a session has a status",
    example: "signalbox wait 4f1c --for done,failed --timeout 600 && echo over",
    load: async () => (await import("./commands/wait.js")).waitCommand,
  },
  send: {
    summary: "send a message to an agent",
    example: 'signalbox send 4f1c "Use the other branch"',
    load: async () => (await import("./commands/send.js")).sendCommand,
  },
  type: {
    summary: "type keys at a session's terminal",
    example: 'signalbox type 4f1c "git status"',
    load: async () => (await import("./commands/type.js")).typeCommand,
  },
  connect: {
    summary: "choose the agent that gets messages",
    example: "signalbox connect 4f1c --as aider",
    load: async () => (await import("./commands/connect.js")).connectCommand,
  },
  asks: {
    summary: "list the approvals and questions that wait for you",
    example: "signalbox asks --json",
    load: async () => (await import("./commands/asks.js")).asksCommand,
  },
  approve: {
    summary: "approve what an agent asks for",
    example: "signalbox approve 4f1c --scope session",
    load: async () => (await import("./commands/approve.js")).approveCommand,
  },
  reject: {
    summary: "reject what an agent asks for",
    example: 'signalbox reject 4f1c -m "Leave that file alone"',
    load: async () => (await import("./commands/reject.js")).rejectCommand,
  },
  permissions: {
    summary: "what agents may do, and why: ls, test, add, rm, init, trust",
    example: 'signalbox permissions test "Shell(git push --force)"',
    load: async () => (await import("./commands/permissions.js")).permissionsCommand,
  },
  controls: {
    summary: "what an agent offers: models, modes, efforts, slash commands; and choosing",
    example: "signalbox controls 4f1c --model sonnet",
    load: async () => (await import("./commands/controls.js")).controlsCommand,
  },
  interrupt: {
    summary: "interrupt an agent's turn",
    example: "signalbox interrupt 4f1c",
    load: async () => (await import("./commands/interrupt.js")).interruptCommand,
  },
  stop: {
    summary: "stop sessions; with --all every one",
    example: "signalbox stop --all",
    load: async () => (await import("./commands/stop.js")).stopCommand,
  },
  resume: {
    summary: "go on with a session, or with all that were interrupted",
    example: "signalbox resume --all",
    load: async () => (await import("./commands/resume.js")).resumeCommand,
  },
  retry: {
    summary: "try again after an error",
    example: "signalbox retry 4f1c",
    load: async () => (await import("./commands/retry.js")).retryCommand,
  },
  start: {
    summary: "start a session's agent afresh",
    example: "signalbox start 4f1c",
    load: async () => (await import("./commands/start.js")).startCommand,
  },
  rm: {
    summary: "delete sessions and all that is kept of them",
    example: "signalbox rm 4f1c 9d20",
    load: async () => (await import("./commands/rm.js")).rmCommand,
  },
  finish: {
    summary: "make the change of a workspace part of its repository",
    example: 'signalbox finish 4f1c --how squash -m "Mend the parser"',
    load: async () => (await import("./commands/finish.js")).finishCommand,
  },
  check: {
    summary: "run a project's check in a workspace",
    example: "signalbox check 4f1c",
    load: async () => (await import("./commands/check.js")).checkCommand,
  },
  discard: {
    summary: "move a workspace to the trash",
    example: "signalbox discard 4f1c",
    load: async () => (await import("./commands/discard.js")).discardCommand,
  },
  workspaces: {
    summary: "checkouts of their own for agents: ls, clean, update, run, pr, …",
    example: "signalbox workspaces ls",
    load: async () => (await import("./commands/workspaces.js")).workspacesCommand,
  },
  projects: {
    summary: "the repositories that workspaces are made from: ls, add, set",
    example: 'signalbox projects set app --setup "npm ci"',
    load: async () => (await import("./commands/projects.js")).projectsCommand,
  },
  race: {
    summary: "several agents on one prompt, from one commit: choose, stop",
    example: 'signalbox race "Mend the parser" --with claude --with codex:gpt-5 --check "npm test"',
    load: async () => (await import("./commands/race.js")).raceCommand,
  },
  races: {
    summary: "list the races, or show how the agents of one compare",
    example: "signalbox races 4f1c",
    load: async () => (await import("./commands/races.js")).racesCommand,
  },
  open: {
    summary: "open the page in a browser",
    example: "signalbox open --print",
    load: async () => (await import("./commands/open.js")).openCommand,
  },
  pair: {
    summary: "sign a phone in, with a QR code",
    example: "signalbox pair --url https://devbox.example.org",
    load: async () => (await import("./commands/pair.js")).pairCommand,
  },
  devices: {
    summary: "what is signed in: ls, role, revoke",
    example: "signalbox devices role 1f0c operate",
    load: async () => (await import("./commands/devices.js")).devicesCommand,
  },
  audit: {
    summary: "who asked for what: verify, export",
    example: "signalbox audit --since 7d",
    load: async () => (await import("./commands/audit.js")).auditCommand,
  },
  harnesses: {
    summary: "list the agents that are installed here",
    example: "signalbox harnesses",
    load: async () => (await import("./commands/harnesses.js")).harnessesCommand,
  },
  init: {
    summary: "put ask on a key of bash, zsh or fish",
    example: 'eval "$(signalbox init bash)"',
    load: async () => (await import("./commands/init.js")).initCommand,
  },
  agent: {
    summary: "the built-in agent by itself, on stdin and stdout",
    example: `echo '{"type":"prompt","messageId":"1","text":"suggest"}' | signalbox agent --model demo`,
    load: async () => (await import("./commands/agent.js")).agentCommand,
  },
  up: {
    summary: "start the daemon",
    example: "signalbox up --open",
    load: async () => (await import("./commands/up.js")).upCommand,
  },
  down: {
    summary: "end the daemon; with --all its agents too",
    example: "signalbox down --all",
    load: async () => (await import("./commands/down.js")).downCommand,
  },
  status: {
    summary: "say whether the daemon runs, and what is wrong",
    example: "signalbox status --json",
    load: async () => (await import("./commands/status.js")).statusCommand,
  },
  doctor: {
    summary: "check journal, disk, keeper and private files, and say what to do",
    example: "signalbox doctor",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  backup: {
    summary: "write a copy of the journal, while agents work",
    example: "signalbox backup ~/signalbox-monday.db",
    load: async () => (await import("./commands/backup.js")).backupCommand,
  },
  restore: {
    summary: "put a backup in the place of the journal",
    example: "signalbox restore ~/signalbox-monday.db",
    load: async () => (await import("./commands/restore.js")).restoreCommand,
  },
  repair: {
    summary: "write a damaged journal anew, from what can be read of it",
    example: "signalbox repair",
    load: async () => (await import("./commands/repair.js")).repairCommand,
  },
  mcp: {
    summary: "an MCP server: other agents as tools of an agent",
    example: "claude mcp add signalbox -- signalbox mcp",
    load: async () => (await import("./commands/mcp.js")).mcpCommand,
  },
  completion: {
    summary: "completion of commands, options and ids for a shell",
    example: 'eval "$(signalbox completion bash)"',
    load: async () => (await import("./commands/completion.js")).completionCommand,
  },
  machine: {
    summary: "run a pure machine on events from stdin",
    example: `echo '{"type":"agent_started","seat":"a","agent":"claude"}' | signalbox machine roster`,
    load: async () => (await import("./commands/machine.js")).machineCommand,
  },
  screen: {
    summary: "what a captured screen shows",
    example: "signalbox screen --agent claude --cols 120 --rows 40 captured.txt",
    load: async () => (await import("./commands/screen.js")).screenCommand,
  },
  tour: {
    summary: "ten minutes with three demo agents, in a small repository of its own",
    example: "signalbox tour --dir ~/signalbox-tour",
    load: async () => (await import("./commands/tour.js")).tourCommand,
  },
};
