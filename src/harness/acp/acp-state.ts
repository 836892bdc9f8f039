/** What the codec knows of one run of an agent. Plain JSON, and small: lists have bounds, texts are only what is yet to be said. */
import type { Json } from "../../core/index.js";
import type { ControlKind } from "../../protocol/controls.js";
import type { RunExit } from "../../protocol/keeper.js";
import type { RunStart } from "../../runtime/harness.js";
import { NO_OFFER, type Offer } from "../kit/controls.js";
import { noRequests, type PendingRequests, type RpcId } from "../kit/json-rpc.js";

export const ASKED_MAX = 128;
export const CALLS_MAX = 64;
export const FOLLOW_UPS_MAX = 16;
export const APPROVED_MAX = 64;
/** A prompt that is longer is not said again. */
export const SAID_AGAIN_LENGTH_MAX = 256 * 1024;

/**
 * How far the run is: `initialize` sent; the conversation being opened; somebody being asked to log in; its mode and model being set; what it replays
 * being waited for; ready for prompts; or given up.
 */
export type AcpPhase =
  "initializing" | "opening" | "logging_in" | "preparing" | "settling" | "ready" | "failed";

/** A tool call that has not ended. */
export type OpenCall = {
  readonly callId: string;
  readonly name: string;
  readonly kind: string | null;
  /** Digests of what was shown of it last: agents repeat themselves. */
  readonly input: string | null;
  readonly output: string | null;
  /** What it is called with, as it was told last, and which files it names: some requests for permission leave it out. */
  readonly told: { readonly input: Json; readonly paths: readonly string[] } | null;
  /** What it would change. */
  readonly diff: string | null;
  /** A person, or a rule, said no: many agents say nothing more of such a call. */
  readonly rejected: boolean;
};

/** A request of the agent that waits for our answer, by the ask that it became or may become. */
export type Asked = { readonly askId: string; readonly id: RpcId } & (
  | {
      readonly type: "permission";
      readonly callId: string | null;
      /** The option that says yes, and the one that says no, once where there is a choice. */
      readonly allow: string | null;
      readonly reject: string | null;
      readonly writes: readonly ApprovedWrite[];
      /** The command that it asks about. */
      readonly command?: ApprovedCommand;
      /** What the ask will be about, while the rules are asked first. */
      readonly held: HeldAsk | null;
      /** Nothing was told of its call yet, so that a person is asked; once something is, the rules are asked too. */
      readonly awaits?: true;
      /** A person was asked before the rules were. */
      readonly shown?: true;
    }
  | {
      readonly type: "question";
      readonly form: QuestionForm;
      /** The options that hand in the answers and that decline, of a question that came as a permission request. */
      readonly submit?: { readonly allow: string | null; readonly reject: string | null };
    }
  | {
      readonly type: "read";
      readonly path: string;
      readonly line: number | null;
      readonly limit: number | null;
    }
  | { readonly type: "write"; readonly path: string; readonly content: string }
  /** Not a request of the agent's: without a login it opens no session. */
  | { readonly type: "login" }
  /** A command to be run; `terminal` once it is being started. */
  | {
      readonly type: "terminal";
      readonly command: string;
      readonly cwd: string;
      readonly limitBytes: number;
      readonly terminal: number | null;
    }
  | {
      readonly type: "terminal_use";
      readonly use: "output" | "kill" | "release";
      readonly terminal: number;
    }
);

export type HeldAsk = {
  readonly ask: "tool" | "command" | "use_mcp_server";
  readonly title: string;
  readonly detail: string;
  readonly tool: Json;
};

/** A way to log in that the agent offers; with a command, it is gone in a terminal. */
export type LoginMethod = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly command: string | null;
};

/** A file that an approved call may write, once; with a digest only with that content. */
export type ApprovedWrite = { readonly path: string; readonly content: string | null };

/** A command that the agent may have us run, once, in this folder. */
export type ApprovedCommand = { readonly command: string; readonly cwd: string };

/** A command that we run for the agent. */
export type AgentTerminal = {
  readonly terminal: number;
  readonly limitBytes: number;
  /** In which it was started. */
  readonly turn: number;
  /** Null: it goes on, or is being started. */
  readonly exit: RunExit | null;
  /** The agent let it go; it is not gone yet. */
  readonly released: boolean;
  /** The call that shows it, and how that has ended. */
  readonly call: { readonly callId: string; readonly ok: boolean | null } | null;
};

/** What is needed of a form to put a person's words into it; null: no form, any reply will do. */
export type QuestionForm = readonly QuestionField[] | null;

export type QuestionField = {
  readonly key: string;
  readonly title: string;
  readonly type: "text" | "number" | "boolean" | "list";
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** Takes what is none of the choices, of the field before it. */
  readonly other: boolean;
};

/** How each is set: by the option of this id; null: by the request that is only for it. Absent: it cannot be. */
export type AcpWays = Readonly<Partial<Record<ControlKind, string | null>>>;

export type AcpState = {
  readonly run: number;
  /** Of the registry; null: a command of the person's own. */
  readonly agent: string | null;
  readonly cwd: string;
  readonly model: string | null;
  readonly resume: string | null;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
  readonly phase: AcpPhase;
  readonly canLoad: boolean;
  /** How it is started, as a person would type it. */
  readonly invocation: string | null;
  readonly logins: readonly LoginMethod[];
  /** How often a person was asked how to log in. */
  readonly loginAttempts: number;
  /** In one way or the other; absent: of a version that did not note it. */
  readonly canResume?: boolean;
  readonly sessionId: string | null;
  readonly requests: PendingRequests;
  /** The first prompt, until it is sent. */
  readonly prompt: string | null;
  /** What a person said while rejecting: goes out as soon as the turn is over. */
  readonly followUps: readonly string[];
  readonly turn: number;
  readonly turnOpen: boolean;
  /** The agent is known to have taken the turn's prompt. */
  readonly taken: boolean;
  /** It has said or done something in this turn. */
  readonly hasActed: boolean;
  /** The turn's prompt, of an agent that forgets one that failed, until something comes of it. */
  readonly unheard: string | null;
  /** The prompt of a turn that is not over, of an agent that may not have kept it when it is killed. */
  readonly unkept: string | null;
  /** Nothing else was ever said in the conversation to go on with: where that is gone, a new one loses nothing. */
  readonly isAllUnkept: boolean;
  /** We were told to interrupt. */
  readonly interrupting: boolean;
  /** We have cancelled the turn: whatever the agent says of its end, that is why. */
  readonly cancelled: boolean;
  /** While `settling`: whether it has replayed anything since we last asked. */
  readonly replayed: boolean;
  /** It works without a prompt, and how often it has begun to. */
  readonly isAwake: boolean;
  readonly wakes: number;
  /** Names the message that is being written. */
  readonly message: { readonly count: number; readonly open: boolean; readonly agentId: string | null };
  readonly calls: readonly OpenCall[];
  /** Calls that have ended lately: some agents say so twice. */
  readonly ended: readonly string[];
  readonly asked: readonly Asked[];
  readonly approved: readonly ApprovedWrite[];
  readonly approvedCommands: readonly ApprovedCommand[];
  readonly terminals: readonly AgentTerminal[];
  readonly terminalCount: number;
  /** Requests that are answered when a command has ended. */
  readonly waits: readonly { readonly id: RpcId; readonly terminal: number }[];
  /** How many commands were last said to go on in the background. */
  readonly background: number;
  /** An ask that was answered between two turns: no end of a turn will say that nothing goes on. */
  readonly strayed: string | null;
  /** Failures that the agent tells, but then ends the turn as if it were well; and how often it tried again. */
  readonly failure: string | null;
  readonly failing: boolean;
  readonly retries: number;
  /** Totals that it has told so far, for agents that add up. */
  readonly tokens: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
  };
  readonly costUsd: number | null;
  readonly offer: Offer;
  readonly ways: AcpWays;
};

export function firstState(start: RunStart, agent: string | null): AcpState {
  const { run, settings, resume, continues, prompt } = start;
  const before = resume === null || start.before === undefined ? null : fromJson(start.before);
  return {
    run,
    agent,
    cwd: settings.cwd,
    model: settings.model,
    resume,
    continues,
    phase: "initializing",
    canLoad: false,
    invocation: null,
    logins: [],
    loginAttempts: 0,
    sessionId: null,
    requests: noRequests,
    prompt: prompt?.text ?? null,
    followUps: [],
    turn: 0,
    turnOpen: false,
    taken: false,
    hasActed: false,
    unheard: null,
    unkept: before?.unkept ?? null,
    isAllUnkept: before !== null && before.unkept !== null && before.resume === null && before.turn === 1,
    interrupting: false,
    cancelled: false,
    replayed: false,
    isAwake: false,
    wakes: 0,
    message: { count: 0, open: false, agentId: null },
    calls: [],
    ended: [],
    asked: [],
    approved: [],
    approvedCommands: [],
    terminals: [],
    terminalCount: 0,
    waits: [],
    background: 0,
    strayed: null,
    failure: null,
    failing: false,
    retries: 0,
    tokens: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    costUsd: null,
    offer: NO_OFFER,
    ways: {},
  };
}

/** What an agent that runs since before an upgrade was never asked about. */
const ADDED_LATER = {
  invocation: null,
  logins: [],
  loginAttempts: 0,
  hasActed: true,
  unkept: null,
  isAllUnkept: false,
  isAwake: false,
  wakes: 0,
  approvedCommands: [],
  terminals: [],
  terminalCount: 0,
  waits: [],
  background: 0,
  offer: NO_OFFER,
  ways: {},
} as const;

export function fromJson(json: Json): AcpState {
  // Only this codec writes it.
  return { ...ADDED_LATER, ...(json as unknown as AcpState) };
}
