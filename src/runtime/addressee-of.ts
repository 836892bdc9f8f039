import { launchedProgram, type SessionState } from "../core/index.js";
import type { SessionSettings } from "./session-record.js";

/** A terminal that was started as a shell is nobody to talk to: its messages are for the agent that a person starts in it. */
export function addresseeOf({ harness, args }: SessionSettings): SessionState["addressee"] {
  return harness === "terminal" && launchedProgram(args).type === "shell" ? "agent" : "conversation";
}
