/**
 * What the agent of a run behind a wall is answered at its own socket: what `signalbox mcp` needs, in the agent's name,
 * about its own project, and as far as the rules permit it. Everything else is refused, and a person sees the attempt.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { realPath } from "../../permissions/files/project-folders.js";
import { AGENT_CALLS, isAgentCall, OWN_SESSION, type McpTool } from "../../protocol/agent-socket.js";
import type { CreateRace } from "../../protocol/race.js";
import { agentPrincipal } from "../../protocol/principal.js";
import { apiRoutes } from "./api-routes.js";
import { agentBoard, sameProject } from "./agent-board.js";
import type { Identity } from "./auth.js";
import type { Authorized, Attempt, Called, Doorkeeper, Gatekeeper } from "./gatekeeper.js";
import type { RequestGate } from "./host-gate.js";
import { plainRoutes, type PlainDesk } from "./plain-routes.js";
import { failure, type Failure } from "./problem.js";
import { handleRequest } from "./request-handler.js";
import type { Exchange, Route } from "./route.js";
import { createRouter, type Match } from "./router.js";
import { summarize } from "./summarize.js";

/** Programs of one agent that talk to us at once; one that waits for a session has a connection for as long. */
const CONNECTIONS_MAX = 32;
/** What is typed there is run, and no rule is asked. */
const UNRULED_HARNESS = "terminal";

export interface AgentServerOptions {
  readonly sessionId: string;
  readonly desk: PlainDesk;
  readonly gate: RequestGate;
  readonly gatekeeper: Gatekeeper;
  readonly onAttempt: (attempt: Attempt) => void;
  readonly create: () => Server;
}

export function createAgentServer(options: AgentServerOptions): Server {
  const { sessionId, gate, create } = options;
  const { homeDir } = options.desk.permissions.folders;
  const desk: PlainDesk = { ...options.desk, board: agentBoard(options.desk.board, sessionId, homeDir) };
  const caller: Identity = { type: "agent", principal: agentPrincipal(sessionId), role: "operate" };
  const refuse = (call: string, about: string | null, why = "Only a person may do this"): Failure => {
    options.onAttempt({ by: caller.principal, call, sessionId: about });
    return failure("agent_may_not", `${why}, and this is the socket of ${caller.principal.name}.`);
  };
  const door = new AgentDoor({ ...options, desk, refuse });
  const find = createRouter([...apiRoutes(desk), ...plainRoutes(desk)]);
  const match = (method: string, path: string): Match<Route> =>
    onlyAgentCalls(find(method, path), sessionId, refuse);
  const server = create();
  server.maxConnections = CONNECTIONS_MAX;
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    void handleRequest(request, response, {
      gate,
      identify: () => caller,
      keeper: door,
      log: desk.log,
      match,
    });
  return server.on("request", handle).on("checkContinue", handle);
}

type Refuse = (call: string, about: string | null, why?: string) => Failure;

/** Whatever is not for agents leads to a refusal, whether or not there is such a call. */
function onlyAgentCalls(found: Match<Route>, sessionId: string, refuse: Refuse): Match<Route> {
  if (found.type !== "found" || !isAgentCall(found.route.name)) {
    const name = found.type === "found" ? (found.route.name ?? "other") : "other";
    const about = found.type === "found" ? (found.params["id"] ?? null) : null;
    const route: Route = {
      ...{ name, method: "", path: "", access: { role: "watch" } },
      handle: () => refuse(name, about),
    };
    return { type: "found", route, params: {} };
  }
  const { route, params } = found;
  const known = params["id"] === OWN_SESSION ? { ...params, id: sessionId } : params;
  if (route.name === "listWorkspaces") return { ...found, route: ownWorkspaces(route, sessionId, refuse) };
  if (route.name !== "events") return { ...found, params: known };
  // What happens in all sessions is none of its business.
  const handle = (exchange: Exchange) =>
    exchange.query.get("session") === null ? refuse("events", null) : route.handle(exchange);
  return { type: "found", route: { ...route, handle }, params };
}

/** Its own, and no other: whose they are says nothing about which project they are of. */
function ownWorkspaces(route: Route, sessionId: string, refuse: Refuse): Route {
  const handle = (exchange: Exchange) => {
    const id = exchange.query.get("id");
    if (id !== OWN_SESSION && id !== sessionId) return refuse("listWorkspaces", id);
    const query = new URLSearchParams(exchange.query);
    query.set("id", sessionId);
    return route.handle({ ...exchange, query });
  };
  return { ...route, handle };
}

function isSameFolder(one: string, other: string): boolean {
  return realPath(one) === realPath(other);
}

/** The gatekeeper's decision first, then what the rules say of the tool, then what the call is about. */
class AgentDoor implements Doorkeeper {
  constructor(
    private readonly options: AgentServerOptions & { readonly desk: PlainDesk; readonly refuse: Refuse },
  ) {}

  async refuse(...asked: Parameters<Doorkeeper["refuse"]>): Promise<Failure | null> {
    const refused = await this.options.gatekeeper.refuse(...asked);
    const [, , { name }, params] = asked;
    return refused ?? this.withoutLeave(name, params);
  }

  async authorize(...asked: Parameters<Doorkeeper["authorize"]>): Promise<Authorized> {
    const decided = await this.options.gatekeeper.authorize(...asked);
    if ("ok" in decided) return decided;
    const [, , called, { params, body }] = asked;
    return this.outOfPlace(called, params, body) ?? decided;
  }

  /** Where a person would have to be asked there is nobody to ask: only an agent that asks before every tool has done it. */
  private withoutLeave(name: string | undefined, params: Readonly<Record<string, string>>): Failure | null {
    const { sessionId, desk } = this.options;
    if (!isAgentCall(name)) return null;
    const tools: readonly McpTool[] = AGENT_CALLS[name];
    // Who it is itself, it may know.
    if (tools.length === 0 || (name === "getSession" && params["id"] === sessionId)) return null;
    const record = desk.board.session(sessionId);
    if (!record) return failure("session_not_found", "The session of this agent is gone.");
    const { enforcement, ui } = summarize(record, desk.board);
    const reasons: string[] = [];
    for (const tool of tools) {
      // A call of a tool is not read from a screen, whatever the agent runs in.
      const asking = { harness: "", cwd: record.settings.cwd, grants: record.grants };
      const access = { category: "Mcp", server: "signalbox", tool } as const;
      const { verdict, because } = desk.permissions.decideAccess(asking, access);
      const hasAsked = verdict === "ask" && enforcement === "enforced" && ui.isActive;
      if (verdict === "allow" || hasAsked) return null;
      reasons.push(`Mcp(signalbox/${tool}): ${because}`);
    }
    return failure("forbidden", `The rules do not permit it. ${reasons.join(" ")}`);
  }

  /** A race begins in the agent's own folder, and another project's is not there. */
  private outOfRace(name: "createRace" | "getRace", id: string | undefined, body: unknown): Failure | null {
    const { sessionId, desk, refuse } = this.options;
    const own = desk.board.session(sessionId)?.settings.cwd ?? "";
    if (name === "getRace") {
      const race = desk.races?.get(id ?? "");
      const isOwn = race && sameProject(own, desk.permissions.folders.homeDir)(race.directory);
      return isOwn === true ? null : failure("not_found", `There is no race ${(id ?? "").slice(0, 100)}.`);
    }
    const { directory, entries } = body as Partial<CreateRace>;
    if (directory === undefined || directory.includes("\0") || !isSameFolder(directory, own))
      return refuse("createRace:elsewhere", null, `An agent does this only for its own folder ${own}`);
    if (entries?.some(({ harness }) => harness === UNRULED_HARNESS) === true)
      return failure("forbidden", "No rule would hold in a terminal; only a person starts one.");
    return null;
  }

  private outOfPlace(
    { name }: Called,
    params: Readonly<Record<string, string>>,
    body: unknown,
  ): Failure | null {
    const { sessionId, desk, refuse } = this.options;
    const id = params["id"];
    if (name === "createSession" || name === "testPermission") {
      const own = desk.board.session(sessionId)?.settings.cwd ?? "";
      const { cwd } = body as { readonly cwd: string };
      // What a folder below its own leads to, an agent can change at any time.
      const isFit =
        name === "createSession" ? isSameFolder : sameProject(own, desk.permissions.folders.homeDir);
      if (cwd.includes("\0") || isFit(cwd, own)) return null;
      return refuse(`${name}:elsewhere`, null, `An agent does this only for its own folder ${own}`);
    }
    if (name === "createRace" || name === "getRace") return this.outOfRace(name, id, body);
    if (name !== "sendMessage" && name !== "cancel") return null;
    if (id === sessionId) return failure("forbidden", "That is your own session.");
    if (name === "sendMessage" && desk.board.session(id ?? "")?.settings.harness === UNRULED_HARNESS)
      return failure(
        "forbidden",
        "What is typed into a terminal is run without a rule; only a person does that.",
      );
    return null;
  }
}
