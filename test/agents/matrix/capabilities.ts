import { approve, parallelToolCalls, questionAndAnswer, rejectWithMessage, writeFile } from "./asks.js";
import type { Capability } from "./capability.js";
import { backgroundWork, subagents } from "./deeper.js";
import {
  exitByItself,
  failure,
  interrupt,
  interruptAsk,
  killedAtFirst,
  killedFromOutside,
  rateLimit,
  resume,
} from "./endings.js";
import { deny, label } from "./rules.js";
import { queuedMessage, severalTurns, start, stream, usageAndCost } from "./turns.js";

/** The rows of the matrix. */
export const CAPABILITIES = {
  start,
  stream,
  approve,
  "write a file": writeFile,
  "reject with a message": rejectWithMessage,
  "question and answer": questionAndAnswer,
  "several turns": severalTurns,
  "queued message": queuedMessage,
  "parallel tool calls": parallelToolCalls,
  subagents,
  "background work": backgroundWork,
  "usage and cost": usageAndCost,
  deny,
  label,
  interrupt,
  "interrupt an ask": interruptAsk,
  failure,
  "rate limit": rateLimit,
  resume,
  "exit by itself": exitByItself,
  "killed from outside": killedFromOutside,
  "killed in its first turn": killedAtFirst,
} as const satisfies Readonly<Record<string, Capability>>;

export type CapabilityName = keyof typeof CAPABILITIES;
export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as readonly CapabilityName[];
