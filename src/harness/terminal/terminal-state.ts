/** What the codec of a terminal knows. JSON, and bounded. */
import type { Addressee, Asked, Json, Program } from "../../core/index.js";

/** What an ask is told with. */
export interface AskWords {
  readonly fact: "ask:tool" | "ask:command" | "ask:use_mcp_server" | "ask:followup";
  readonly title: string;
  readonly detail: string;
  readonly tool: Json;
}

/** What the agent's hooks have told that it asks. */
export interface ToldRequest extends AskWords, Asked {
  /** The call that it is about; null where none was told. */
  readonly call: string | null;
  readonly digest: string;
}

/** An ask that is open, or that was answered and is still shown. */
export interface OpenAsk {
  readonly askId: string;
  /** Of the prompt on the screen; null until that was seen. */
  readonly fingerprint: string | null;
  /** Null where no hook has told it. */
  readonly request: ToldRequest | null;
  /** What the prompt says, where no hook has told it. */
  readonly shown: { readonly title: string; readonly detail: string } | null;
  readonly answer: "approve" | "reject" | "reply" | null;
}

export interface TerminalState {
  readonly run: number;
  /** What was started. */
  readonly launched: Program;
  /** What is in the foreground, and its process; null until that was seen. */
  readonly front: { readonly pid: number; readonly start: string; readonly program: Program } | null;
  /** The agent that has the session's seat. */
  readonly seated: string | null;
  readonly isReady: boolean;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
  /** The first prompt, until it is typed. */
  readonly prompt: { readonly messageId: string; readonly text: string } | null;
  /** How many turns have ended: names each end. */
  readonly ends: number;
  /** As it was told; `starting`: nothing was told of this program yet. */
  readonly doing: "starting" | "working" | "waiting";
  /** The screen has shown work, or a prompt, in this turn: only then does a quiet screen mean that it is over. */
  readonly sawWork: boolean;
  /** With what the screen showed the end of the turn before; null: with nothing that could be told from the next. */
  readonly endMark: string | null;
  /** The screen has shown that it waits since hooks said so: only then does a busy screen mean a new turn. */
  readonly sawWait: boolean;
  /** What is being typed; what the screen shows meanwhile says little. */
  readonly typings: number;
  /** What is being typed lets the run go on. */
  readonly isContinuing: boolean;
  /** The agent's hooks have spoken: they decide, and the screen adds what they cannot see. */
  readonly hasHooks: boolean;
  /** They have told that this turn goes on, and so have to tell its end. */
  readonly isHookTurn: boolean;
  /** Prompts that were entered while a turn went on: its end is not the last one. */
  readonly queuedPrompts: number;
  /** The hooks have told an end that may have been the last one. */
  readonly sawStop: boolean;
  readonly background: number;
  /** Tools that the hooks say are running. */
  readonly calls: readonly { readonly callId: string; readonly digest: string }[];
  /** The agent's own id, where it was told before the agent was ready. */
  readonly sessionId: string | null;
  readonly ask: OpenAsk | null;
  /** Requests that the hooks have told while another one was asked: their prompts are yet to be seen. */
  readonly requests: readonly ToldRequest[];
  /** Of the prompt that was shown while they waited. */
  readonly lastFingerprint: string | null;
  readonly askCount: number;
  /** The newest answer of ours in this turn was no. */
  readonly wasRejected: boolean;
}

/** What is in the foreground, as far as it is known. */
export function programIn({ front, launched }: Pick<TerminalState, "front" | "launched">): Program {
  return front?.program ?? launched;
}

/** Whom something is typed for: of a shell's terminal the program in front, or else whatever was started. */
export function addresseeIn({ front, launched }: Pick<TerminalState, "front" | "launched">): Addressee {
  return launched.type === "shell" && front ? { pid: front.pid, start: front.start } : null;
}

export function toJson(state: TerminalState): Json {
  return state as unknown as Json;
}

export function fromJson(json: Json): TerminalState {
  // Only this codec writes it; an older one knew of no requests that wait.
  const state = { requests: [], lastFingerprint: null, ...(json as object) } as unknown as TerminalState;
  return state.ask ? { ...state, ask: { ...NOT_TOLD, ...state.ask } } : state;
}

const NOT_TOLD = { request: null, shown: null };
