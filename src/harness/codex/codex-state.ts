/** What the codec knows of a run: plain JSON, with a bound on everything in it. */
import type { Json } from "../../core/index.js";
import type { RunStart } from "../../runtime/harness.js";
import { NO_OFFER, type Offer } from "../kit/controls.js";
import { noRequests, type PendingRequests, type RpcId } from "../kit/json-rpc.js";
import type { FileChanges } from "./items.js";
import type { Totals } from "./turns.js";

/** The session's own conversation, or a subagent's. Codex calls it a thread. */
export interface Conversation {
  /** The turn that is under way. */
  readonly turnId: string | null;
  /** As `thread/status/changed` says. */
  readonly active: boolean;
  /** What it had used when that was told last. */
  readonly totals: Totals | null;
  /** The call that started a subagent. */
  readonly callId: string | null;
}

/** A message or a call that has begun and is not completed. */
export interface OpenItem {
  readonly type: string;
  readonly conversationId: string;
  readonly turnId: string;
  /** Some of its text was streamed: the whole text at its end is no news. */
  readonly streamed?: true;
  /** What a change of files will do, until a person is asked about it. */
  readonly changes?: FileChanges;
  /** Which tool of which MCP server is called. */
  readonly mcp?: { readonly server: string; readonly tool: string };
}

/** How Codex wants a request of its own answered. */
export type AskKind = "decision" | "review" | "permissions" | "elicitation" | "questions" | "form";

/** A field of a form, or one question of several, which a person answers with a text. */
export interface Question {
  readonly id: string;
  readonly options: readonly string[];
  readonly type: "text" | "number" | "boolean";
}

/** Something that Codex asked us and that is not resolved. A request with several questions is several asks. */
export interface OpenAsk {
  readonly requestId: RpcId;
  readonly kind: AskKind;
  readonly conversationId: string;
  readonly turnId: string | null;
  readonly itemId: string | null;
  readonly answered: boolean;
  readonly question?: Question;
  readonly answer?: Json;
  /** What is granted when a request for permissions is approved. */
  readonly permissions?: Json;
}

export interface CodexState {
  readonly run: number;
  readonly cwd: string;
  readonly model: string | null;
  readonly sandbox: string | null;
  readonly resume: string | null;
  readonly continues: boolean;
  /** Held until there is a conversation to send it to. */
  readonly prompt: { readonly messageId: string; readonly text: string } | null;
  readonly requests: PendingRequests;
  /** Codex itself must be logged in: its models are not those of a provider with a key of its own. */
  readonly needsLogin: boolean;
  /** The session's own conversation. */
  readonly conversationId: string | null;
  readonly conversations: Readonly<Record<string, Conversation>>;
  readonly items: Readonly<Record<string, OpenItem>>;
  readonly asks: Readonly<Record<string, OpenAsk>>;
  /** The turn that was sent and has not started, empty until Codex has named it: it cannot be interrupted yet. */
  readonly starting: string | null;
  /** The turn of the session's own that ended last. */
  readonly ended: string | null;
  readonly interrupting: boolean;
  /** The id of an end that is told as soon as nobody waits for a person any more. */
  readonly over: string | null;
  /** As last told. */
  readonly background: number;
  /** Absent: of a version that did not ask for it. */
  readonly offer?: Offer;
  /** What a person has chosen, until a turn is started with it. */
  readonly chosen?: { readonly model?: string; readonly effort?: string };
}

export const CONVERSATIONS_MAX = 64;
export const ITEMS_MAX = 128;
export const ASKS_MAX = 128;

export const IDLE_CONVERSATION: Conversation = { turnId: null, active: false, totals: null, callId: null };

export function firstState({ run, settings, resume, prompt, continues }: RunStart): CodexState {
  return {
    run,
    cwd: settings.cwd,
    model: settings.model,
    sandbox: sandboxOf(settings.args),
    resume,
    continues,
    prompt,
    requests: noRequests,
    needsLogin: false,
    conversationId: null,
    conversations: {},
    items: {},
    asks: {},
    starting: null,
    ended: null,
    interrupting: false,
    over: null,
    background: 0,
    offer: NO_OFFER,
  };
}

/**
 * What runs without being asked about may write to the project only, unless the arguments choose a sandbox: then it is
 * left to Codex. What a person approves runs without any sandbox, whatever is said here.
 */
function sandboxOf(args: readonly string[]): string | null {
  const chosen = args.some((arg) => /^(--config=|-c=?)?\s*(sandbox_mode|default_permissions)\s*=/.test(arg));
  return chosen ? null : "workspace-write";
}

/** The record with one more entry, or another one in its place; the oldest make room. */
export function withEntry<T>(
  record: Readonly<Record<string, T>>,
  key: string,
  value: T,
  lengthMax: number,
): Readonly<Record<string, T>> {
  if (Object.hasOwn(record, key)) return { ...record, [key]: value };
  const kept = Object.entries(record).slice(-(lengthMax - 1));
  return Object.fromEntries([...kept, [key, value] as const]);
}

export function withoutEntry<T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
}

/** Codex names its items: `constructor` is a name like any other. */
export function entryOf<T>(record: Readonly<Record<string, T>>, key: string | null): T | null {
  return key !== null && Object.hasOwn(record, key) ? (record[key] ?? null) : null;
}

export function fromJson(json: Json): CodexState {
  // Only this codec writes it.
  return json as unknown as CodexState;
}
