/** Every machine by its name: what the command line runs and the documents are written from. */
import { rosterMachine } from "./roster/roster-machine.js";
import { sessionMachine } from "./session/session-machine.js";
import { terminalMachine } from "./terminal/terminal-machine.js";
import { turnMachine } from "./turn/turn-machine.js";
import { workspaceMachine } from "./workspace/workspace-machine.js";

export const MACHINES = {
  session: sessionMachine,
  turn: turnMachine,
  roster: rosterMachine,
  terminal: terminalMachine,
  workspace: workspaceMachine,
} as const;
