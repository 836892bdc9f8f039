/** An agent on the stage of the benchmark: what a person would do with it, and what came of it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateSession } from "../../../src/protocol/api-schemas.js";
import { TerminalPeer } from "../../e2e/terminal-peer.js";
import { NotTold, stateOf, type LabSession } from "../lab-session.js";
import type { Lab } from "../lab.js";
import type { AgentName, AgentPackage } from "../packages.js";
import type { Shown } from "./judge.js";
import type { ScreenSample } from "./simple-rules.js";

export interface Role {
  /** As it stands in the table. */
  readonly name: string;
  /** Null: a program that nobody knows. */
  readonly agent: AgentName | null;
  readonly package: AgentPackage | null;
  readonly harness: string;
  /** Set for a program in a terminal: its command. */
  readonly terminal?: readonly string[];
  /** What a person types to start it, where its terminal is a shell. */
  readonly typed?: string;
  /** The words of its own with which a terminal shows that it asks: only then does it, however soon the model wanted it. */
  readonly asksBy?: { readonly approval: RegExp; readonly question: RegExp };
  /** The words of its own that its terminal shows for as long as it works. */
  readonly worksBy?: RegExp;
  /** It begins with a dialog, in which Enter goes on. */
  readonly greets?: true;
  /** Nobody waits until it is ready: its first scene begins with what it shows first. */
  readonly isLeftAtStart?: true;
  /** What its session is started with, beside what the product sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its own settings, by path in the home folder. */
  readonly files?: Readonly<Record<string, unknown>>;
}

type Certainty = NonNullable<Shown["certainty"]>;

const LOOK_DELAY_MS = 200;
const SHELL_PROMPT = /[$#] *$/m;
const HOOK_LINE_MAX = 20_000;

export class Actor {
  /** What its hooks told, by name: the fields of each. */
  readonly hooks = new Map<string, Set<string>>();
  private readonly outputs: number[] = [];
  private readonly samples: ScreenSample[] = [];
  private readonly certainties: { readonly atMs: number; readonly certainty: Certainty }[] = [];
  private readonly leaving = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private peer: TerminalPeer | null = null;

  /** Ready, and idle. */
  static async enter(role: Role, lab: Lab): Promise<Actor> {
    const more: Partial<CreateSession> = {
      ...(role.terminal ? { args: [...role.terminal] } : {}),
      ...(role.env ? { env: { ...role.env } } : {}),
    };
    const session = role.terminal
      ? await lab.openSession(role.harness, more)
      : await lab.start(role.harness, "Hello. [[text:hello]]", more);
    const actor = new Actor(role, lab, session);
    try {
      await actor.begin();
    } catch (error) {
      await actor.leave();
      throw error;
    }
    return actor;
  }

  private constructor(
    readonly role: Role,
    private readonly lab: Lab,
    readonly session: LabSession,
  ) {}

  private async begin(): Promise<void> {
    const { role, session } = this;
    if (role.terminal) await this.watch();
    if (role.isLeftAtStart) return;
    if (role.typed !== undefined) {
      await this.shows(SHELL_PROMPT);
      await session.reaches("completed", "idle");
      this.type(`${role.typed}\r`);
      await session.reaches("streaming");
    }
    if (role.greets) {
      await session.reaches("waiting_input");
      this.type("\r");
    }
    await session.reaches("completed");
  }

  async send(text: string): Promise<void> {
    await this.session.send(text);
  }

  /** At its terminal, as a person does. */
  type(keys: string): void {
    if (!this.peer) throw new Error(`${this.role.name} has no terminal`);
    this.peer.type(keys);
  }

  /** False: no ask is shown that could be answered. */
  async answer(kind: "approval" | "question"): Promise<boolean> {
    const { asks } = await this.session.read();
    const [ask] = asks.filter(({ ask: name }) => (name === "followup") === (kind === "question"));
    if (!ask) return false;
    if (kind === "approval") await this.session.approve(ask.askId);
    else await this.session.send("crimson");
    return true;
  }

  async interrupt(): Promise<void> {
    await this.lab.client.interrupt(this.session.id);
  }

  /** The agent alone: a shell that it runs in stays. */
  async kill(): Promise<void> {
    const pid = await this.session.pid();
    process.kill(-(this.role.typed === undefined ? pid : await foregroundOf(pid)), "SIGKILL");
  }

  /** What Signalbox showed, and when it had reached us. */
  shown(): readonly Shown[] {
    const changes = this.session.told.flatMap((told) => {
      const change = stateOf(told);
      return change?.type === "state_changed" && change.from !== change.to
        ? [{ atMs: told.atMs, status: change.to }]
        : [];
    });
    const all = [...changes, ...this.certainties].sort((one, other) => one.atMs - other.atMs);
    let now: Shown = { atMs: 0, status: null };
    return all.map((change) => (now = { ...now, ...change }));
  }

  /** When it printed something, for the rule that goes by that. */
  outputsAtMs(): readonly number[] {
    if (this.role.terminal) return this.outputs;
    return this.session.told.flatMap((told) =>
      told.channel === "stream" && told.event.type !== "user_message" ? [told.atMs] : [],
    );
  }

  screens(): readonly ScreenSample[] {
    return this.samples;
  }

  /** When its terminal showed this; waits for it. */
  async shows(words: RegExp, fromMs = 0, patienceMs = 60_000): Promise<number> {
    const endMs = Date.now() + patienceMs;
    for (;;) {
      const found = this.samples.find(({ atMs, text }) => atMs >= fromMs && words.test(text));
      if (found) return found.atMs;
      if (Date.now() > endMs) {
        const last = this.samples.at(-1)?.text ?? "nothing";
        throw new NotTold(`${this.role.name} never showed ${String(words)}, but\n${last}`);
      }
      await sleep(LOOK_DELAY_MS);
    }
  }

  /** When its terminal first showed that it asks, from this time on; null: that cannot be told, or was not shown. */
  askedAtMs(kind: "approval" | "question", fromMs: number): number | null {
    const words = this.role.asksBy?.[kind];
    const found = words && this.samples.find(({ atMs, text }) => atMs >= fromMs && words.test(text));
    return found?.atMs ?? null;
  }

  /** When its terminal first showed no work, from this time on; null: that cannot be told, or was not shown. */
  restedAtMs(fromMs: number): number | null {
    const words = this.role.worksBy;
    const found = words && this.samples.find(({ atMs, text }) => atMs >= fromMs && !words.test(text));
    return found?.atMs ?? null;
  }

  /** Keeps which hooks have told something so far: their file goes with the run. */
  async noteHooks(): Promise<void> {
    if (!this.role.terminal) return;
    const { run } = await this.session.read();
    const file = join(this.lab.daemon.dataDir, "runs", `${this.session.id}.${run}`, "hooks");
    for (const line of (await textOf(file)).split("\n")) {
      const hook = hookIn(line);
      if (!hook) continue;
      const fields = this.hooks.get(hook.name) ?? new Set<string>();
      for (const field of hook.fields) fields.add(field);
      this.hooks.set(hook.name, fields);
    }
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await this.looking;
    this.peer?.close();
    await this.session.remove();
  }

  private async watch(): Promise<void> {
    const { url, token } = this.lab.daemon.ready;
    const peer = await TerminalPeer.open(`${url}/v1/sessions/${this.session.id}/terminal`, {
      authorization: `Bearer ${token}`,
    });
    if (!(peer instanceof TerminalPeer)) throw new Error(`no terminal: ${peer.body}`);
    this.peer = peer;
    const look = (atMs: number) =>
      void peer.lines().then((lines) => {
        this.samples.push({ atMs, text: lines.slice(-peer.rows).join("\n") });
      });
    peer.socket.on("message", (_data, isBinary) => {
      const atMs = Date.now();
      if (isBinary) this.outputs.push(atMs);
      look(atMs);
    });
    this.looking = this.look(this.leaving.signal);
  }

  /** No event tells how certain the shown status is at every moment: it is looked at, as a page that is reloaded does. */
  private async look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const askedAtMs = Date.now();
      const certainty = certaintyOf(await this.session.read());
      if (certainty !== (this.certainties.at(-1)?.certainty ?? "known"))
        this.certainties.push({ atMs: askedAtMs, certainty });
      await sleep(LOOK_DELAY_MS);
    }
  }
}

/** A daemon that knows nothing of certainty shows everything as known. */
function certaintyOf(session: { readonly certainty?: Certainty; readonly state: object }): Certainty {
  const { certainty } = session.state as { readonly certainty?: Certainty };
  return session.certainty ?? certainty ?? "known";
}

/** The process group in front of the terminal that this process leads. */
async function foregroundOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // After the name, which may hold anything: state, parent, group, session, terminal, group in front.
  const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[5]);
  if (!(group > 1) || group === pid) throw new Error(`nothing is in front of the shell ${pid}`);
  return group;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function hookIn(line: string): { readonly name: string; readonly fields: readonly string[] } | null {
  if (line === "" || line.length > HOOK_LINE_MAX) return null;
  try {
    const hook = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const { hook_event_name: name } = hook;
    return typeof name === "string" ? { name, fields: Object.keys(hook) } : null;
  } catch (error) {
    // It is being written.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
