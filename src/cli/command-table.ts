import type { Command } from "./command.js";

export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Loaded on demand: `signalbox ls` must not pay for what it does not use. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: "start a session and follow it to its end",
    load: async () => (await import("./commands/run.js")).runCommand,
  },
  new: {
    summary: "start a session and print its id",
    load: async () => (await import("./commands/new.js")).newCommand,
  },
  ask: {
    summary: "ask the built-in agent at the prompt; it may suggest a command",
    load: async () => (await import("./commands/ask.js")).askCommand,
  },
  ls: {
    summary: "the sessions, newest first",
    load: async () => (await import("./commands/ls.js")).lsCommand,
  },
  show: {
    summary: "one session",
    load: async () => (await import("./commands/show.js")).showCommand,
  },
  explain: {
    summary: "why a session is in its state",
    load: async () => (await import("./commands/explain.js")).explainCommand,
  },
  logs: {
    summary: "what was said and done in a session",
    load: async () => (await import("./commands/logs.js")).logsCommand,
  },
  wait: {
    summary: "wait until a session has a status",
    load: async () => (await import("./commands/wait.js")).waitCommand,
  },
  send: {
    summary: "send a message to an agent",
    load: async () => (await import("./commands/send.js")).sendCommand,
  },
  connect: {
    summary: "choose the agent that gets messages",
    load: async () => (await import("./commands/connect.js")).connectCommand,
  },
  asks: {
    summary: "what agents wait for, oldest first",
    load: async () => (await import("./commands/asks.js")).asksCommand,
  },
  approve: {
    summary: "approve what an agent asks for",
    load: async () => (await import("./commands/approve.js")).approveCommand,
  },
  reject: {
    summary: "reject what an agent asks for",
    load: async () => (await import("./commands/reject.js")).rejectCommand,
  },
  permissions: {
    summary: "what agents may do, and why: ls, test, add, trust",
    load: async () => (await import("./commands/permissions.js")).permissionsCommand,
  },
  interrupt: {
    summary: "interrupt an agent's turn",
    load: async () => (await import("./commands/interrupt.js")).interruptCommand,
  },
  stop: {
    summary: "stop a session",
    load: async () => (await import("./commands/stop.js")).stopCommand,
  },
  resume: {
    summary: "go on with a session, or with all that were interrupted",
    load: async () => (await import("./commands/resume.js")).resumeCommand,
  },
  retry: {
    summary: "try again after an error",
    load: async () => (await import("./commands/retry.js")).retryCommand,
  },
  start: {
    summary: "start a session's agent afresh",
    load: async () => (await import("./commands/start.js")).startCommand,
  },
  rm: {
    summary: "delete a session and all that is kept of it",
    load: async () => (await import("./commands/rm.js")).rmCommand,
  },
  open: {
    summary: "open the page in a browser",
    load: async () => (await import("./commands/open.js")).openCommand,
  },
  harnesses: {
    summary: "which agents are installed here",
    load: async () => (await import("./commands/harnesses.js")).harnessesCommand,
  },
  init: {
    summary: "put ask on a key of bash, zsh or fish",
    load: async () => (await import("./commands/init.js")).initCommand,
  },
  agent: {
    summary: "the built-in agent by itself, on stdin and stdout",
    load: async () => (await import("./commands/agent.js")).agentCommand,
  },
  up: {
    summary: "start the daemon",
    load: async () => (await import("./commands/up.js")).upCommand,
  },
  down: {
    summary: "end the daemon; with --all its agents too",
    load: async () => (await import("./commands/down.js")).downCommand,
  },
  status: {
    summary: "whether the daemon runs, and what it has",
    load: async () => (await import("./commands/status.js")).statusCommand,
  },
  machine: {
    summary: "run a pure machine on events from stdin",
    load: async () => (await import("./commands/machine.js")).machineCommand,
  },
  screen: {
    summary: "what a captured screen shows",
    load: async () => (await import("./commands/screen.js")).screenCommand,
  },
  tour: {
    summary: "see the machines at work, in a minute",
    load: async () => (await import("./commands/tour.js")).tourCommand,
  },
};
