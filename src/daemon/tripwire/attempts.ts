import { principalKey, type Principal } from "../../protocol/principal.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Attempt } from "../http/gatekeeper.js";
import type { Log } from "../log/log.js";

/** The same again within so long is told once: a program in a loop must not fill a conversation. */
const REPEAT_MS = 10_000;
const REMEMBERED_MAX = 1_000;

/** In words, what only a person may do. */
const DEEDS: Readonly<Record<string, string>> = {
  answerAsk: "answer what it asks a person",
  answerAsks: "answer what it asks a person",
  addRule: "add a permission rule",
  removeRule: "remove a permission rule",
  initPermissions: "write permission rules for a project",
  trustFolder: "have a folder trusted",
  createLoginLink: "make a link that signs a browser in",
  patchDevice: "change what a device may do",
  deleteDevice: "sign a device out",
  patchSession: "turn auto-approve on",
  createSession: "start a session that asks nobody",
  deleteSession: "delete a session",
  typeKeys: "type at a terminal",
  command: "give a command to the built-in agent",
  sendMessage: "answer a question, or type blindly",
  backUp: "write a backup",
  shutdown: "end the daemon",
  keeper: "talk to the keeper without its secret",
  noToken: "call the daemon without its token",
  "createSession:elsewhere": "start a session in another folder",
  createRace: "start a race with a command or arguments of its own",
  chooseInRace: "choose in a race",
  "createRace:elsewhere": "start a race in another folder",
  "testPermission:elsewhere": "ask for the rules of another project",
  interrupt: "interrupt a session",
  resume: "resume a session",
  retry: "have a session try again",
  start: "start a session again",
  dropMessage: "drop a message",
  connect: "choose who gets messages",
  routeMessage: "send a message to whoever is connected",
  events: "follow all sessions",
  listEvents: "read a session's journal",
  explain: "read why a session is in its state",
  listAsks: "read what all sessions ask",
  listHarnesses: "read which agents are installed",
  getPermissions: "read the permission rules",
  listPorts: "reach the ports of a session",
  getWall: "read the plan of a wall",
  listDevices: "list the devices",
  getHealth: "read how the daemon is",
  listAudit: "read the audit",
  health: "read how the daemon is",
  terminal: "see a terminal",
  metrics: "read the metrics",
  openapi: "read the description of the API",
  login: "sign a browser in",
  other: "reach something else than the sessions of its project",
};

const UNKNOWN: Principal = { kind: "agent", id: "", name: "a local program" };

/** What agents tried to do in a person's place: written down, and shown to a person. */
export class Attempts {
  /** When each was told last, oldest first. */
  private readonly toldAtMs = new Map<string, number>();

  constructor(
    private readonly runtime: Pick<Runtime, "attempted">,
    private readonly log: Log,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** `who`: never rejects; null: nobody knows. */
  tellStranger(who: Promise<Principal | null>): void {
    void who.then((by) => this.tell({ by: by ?? UNKNOWN, call: "keeper", sessionId: null }));
  }

  tell({ by, call, sessionId }: Attempt): void {
    const key = `${principalKey(by)} ${call}`;
    const before = this.toldAtMs.get(key);
    const nowMs = this.nowMs();
    if (before !== undefined && nowMs - before < REPEAT_MS) return;
    this.toldAtMs.delete(key);
    this.toldAtMs.set(key, nowMs);
    const [oldest] = this.toldAtMs.keys();
    if (this.toldAtMs.size > REMEMBERED_MAX && oldest !== undefined) this.toldAtMs.delete(oldest);
    const message = `Refused: ${by.name}, or a program that it started, tried to ${DEEDS[call] ?? call}. Only a person may do that. If it was you, in a terminal that Signalbox runs: use the page, or another terminal.`;
    this.log.warn("an agent tried what only a person may do", { by: principalKey(by), call, sessionId });
    this.runtime.attempted(by, call, sessionId, message);
  }
}
