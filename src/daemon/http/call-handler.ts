/** What the handler of a call gets and gives, by the API table: the compiler holds every handler against its row. */
import type { z } from "zod";
import type { API, CallName } from "../../protocol/api.js";
import type { ReceiptDraft } from "../../runtime/submission.js";
import type { Permissions } from "../../permissions/permissions.js";
import type { Changes } from "../../changes/changes.js";
import type { Care } from "../health/care.js";
import type { Log } from "../log/log.js";
import type { Reviews } from "../reviews/reviews.js";
import type { Races } from "../race/races.js";
import type { SessionWalls } from "../wall/session-walls.js";
import type { Workspaces } from "../workspaces/workspaces.js";
import type { Auth, Identity } from "./auth.js";
import type { Board } from "./board.js";
import type { HarnessReports } from "./harness-reports.js";
import type { LongConnections } from "./long-connections.js";
import type { Failure } from "./problem.js";

type Calls = typeof API;

type ParamName<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamName<More>
    : Rest
  : never;

type Field<Call, Name extends "query" | "body"> =
  Call extends Readonly<Record<Name, infer Schema extends z.ZodType>> ? z.output<Schema> : null;

type Value<Call> = Call extends { readonly response: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : null;

export interface CallInput<N extends CallName> {
  readonly params: Readonly<Record<ParamName<Calls[N]["path"]>, string>>;
  readonly query: Field<Calls[N], "query">;
  readonly body: Field<Calls[N], "body">;
  /** Null when the client sent no `clientId`. */
  readonly receipt: ReceiptDraft | null;
  readonly caller: Identity;
  /** How the client reaches us. */
  readonly baseUrl: string;
}

export type Reply<N extends CallName> =
  | { readonly ok: true; readonly value: Value<Calls[N]>; readonly location?: string }
  /** The value as JSON that was written already. */
  | { readonly ok: true; readonly json: string | Buffer }
  /** The same in pieces, because it is long. */
  | { readonly ok: true; readonly pieces: readonly string[] }
  | Failure;

/** What a person does at a session's terminal by a request. */
export interface TerminalHands {
  /** Types keys for whatever is in front. Null: the keeper has them. */
  typeKeys(sessionId: string, text: string): Promise<Failure | null>;
  /** Says that the program in front is the agent of this name. Null: it was told. */
  nameAgent(sessionId: string, name: string): Failure | null;
}

/** What handlers work with. */
export interface Desk {
  readonly board: Board;
  readonly auth: Auth;
  readonly log: Log;
  readonly permissions: Permissions;
  readonly harnessReports: HarnessReports;
  readonly connections: LongConnections;
  /** Absent: there is no file to look after. */
  readonly care?: Care;
  /** Absent: there are no processes to be kept in. */
  readonly walls?: SessionWalls;
  /** Absent: nothing is kept of files. */
  readonly changes?: Changes;
  /** Absent: no comments are kept. */
  readonly reviews?: Reviews;
  /** Absent: there is no disk to make them on. */
  readonly workspaces?: Workspaces;
  /** Absent: there are no workspaces either. */
  readonly races?: Races;
  /** Absent: there are no terminals. */
  readonly terminals?: TerminalHands;
  /** Begins the end of the daemon, with its agents or without. */
  readonly shutDown: (withAgents: boolean) => void;
}

export type Handler<N extends CallName> = (input: CallInput<N>, desk: Desk) => Reply<N> | Promise<Reply<N>>;
