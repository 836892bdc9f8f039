/** Who may make which call: the one place where that is decided, for every request and every WebSocket. */
import type { Duplex } from "node:stream";
import {
  hasRole,
  leastRequirement,
  lowerRole,
  requirementFor,
  type Access,
  type Requirement,
  type Role,
} from "../../protocol/access.js";
import { mayBePerson, type Principal } from "../../protocol/principal.js";
import type { Identity } from "./auth.js";
import { failure, type Failure } from "./problem.js";
import { RateLimit } from "./rate-limit.js";

export type Authorized = Identity | Failure;

/** What an agent, or whoever acts for one, tried to do in a person's place. */
export interface Attempt {
  readonly by: Principal;
  /** The call, by its name in the table. */
  readonly call: string;
  /** The session that it was about; null: none. */
  readonly sessionId: string | null;
}

export interface GatekeeperOptions {
  /** The agent from which the process at the other end descends; null: none is known. Must not reject. */
  readonly trace?: (socket: Duplex) => Promise<Principal | null>;
  /** Must not throw. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

export interface Called {
  /** Absent: it is only asked whether it could be done. */
  readonly name?: string;
  readonly access: Access | null;
}

/** Looking one up means to look at every process. */
const STRANGERS_PER_MINUTE_MAX = 30;

/** An agent never has more rights than this, whatever it shows. */
const AGENT_ROLE: Role = "operate";

/** Who is asked about every request. */
export type Doorkeeper = Pick<Gatekeeper, "refuse" | "authorize">;

export class Gatekeeper {
  private readonly strangers = new RateLimit(STRANGERS_PER_MINUTE_MAX, Date.now);

  constructor(private readonly options: GatekeeperOptions = {}) {}

  /** Somebody came without a token. A person comes with one; whether it was an agent is looked up, but not for ever. */
  async noticeStranger(socket: Duplex): Promise<void> {
    const { trace, onAttempt } = this.options;
    if (!trace || !onAttempt || !this.strangers.allows()) return;
    this.strangers.count();
    const by = await trace(socket);
    if (by !== null && by.id !== "") onAttempt({ by, call: "noToken", sessionId: null });
  }

  /** Before the body is known: what no body of this call would make good. */
  async refuse(
    socket: Duplex,
    caller: Identity | null,
    called: Called,
    params: Readonly<Record<string, string>>,
  ): Promise<Failure | null> {
    if (called.access === null) return null;
    const decided = await this.decide(socket, caller, called, params, leastRequirement(called.access));
    return "ok" in decided ? decided : null;
  }

  /** The caller, in whose name it really is; or why not. */
  authorize(
    socket: Duplex,
    caller: Identity | null,
    called: Called,
    given: { readonly params: Readonly<Record<string, string>>; readonly body: unknown },
  ): Promise<Authorized> {
    if (called.access === null) throw new Error("nobody is known where anybody may call");
    const requirement = requirementFor(called.access, given.body);
    return this.decide(socket, caller, called, given.params, requirement);
  }

  private async decide(
    socket: Duplex,
    caller: Identity | null,
    { name = "" }: Called,
    params: Readonly<Record<string, string>>,
    { role, person }: Requirement,
  ): Promise<Authorized> {
    if (!caller) return failure("unauthorized", "This call needs the token of this daemon.");
    if (!hasRole(caller.role, role)) return tooLow(caller.role, role);
    // Whoever only looks is not looked at.
    const isTraced = caller.type !== "agent" && (person || role !== "watch");
    const agent = isTraced && this.options.trace ? await this.options.trace(socket) : null;
    const principal = agent ?? caller.principal;
    if (mayBePerson(principal)) return caller;
    if (person) {
      if (name !== "")
        this.options.onAttempt?.({ by: principal, call: name, sessionId: params["id"] ?? null });
      return agentMayNot(principal, caller.type === "agent" ? "socket" : agent === null ? "said" : "traced");
    }
    const limited = lowerRole(caller.role, AGENT_ROLE);
    return hasRole(limited, role) ? { ...caller, principal, role: limited } : tooLow(limited, role);
  }
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  watch: "watch",
  answer: "watch and answer",
  operate: "watch, answer and operate agents",
  own: "do everything",
};

function tooLow(role: Role, needed: Role): Failure {
  return failure(
    "forbidden",
    `This device may ${ROLE_WORDS[role]}; this needs the role ${needed}. A person gives it on the machine where Signalbox runs: signalbox devices role DEVICE ${needed}.`,
  );
}

const KNOWN_BY = {
  traced: (name: string) => `this program was started by ${name}, or in its terminal`,
  said: (name: string) => `this client says that it acts for ${name}`,
  socket: (name: string) => `this is the socket of ${name}`,
} as const;

function agentMayNot({ name }: Principal, knownBy: keyof typeof KNOWN_BY): Failure {
  return failure(
    "agent_may_not",
    `Only a person may do this, and ${KNOWN_BY[knownBy](name)}. Do it on Signalbox's page, or in a terminal that Signalbox does not run.`,
  );
}
