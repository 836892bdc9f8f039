/** An agent on the stage of the benchmark: what a person would do with it, and what came of it. */
import type { CreateSession } from "../../../src/protocol/api-schemas.js";
import { TerminalPeer } from "../../e2e/terminal-peer.js";
import { stateOf, type LabSession } from "../lab-session.js";
import type { Lab } from "../lab.js";
import type { AgentName } from "../packages.js";
import type { Shown } from "./judge.js";
import type { ScreenSample } from "./simple-rules.js";

export interface Role {
  /** As it stands in the table. */
  readonly name: string;
  readonly agent: AgentName;
  readonly harness: string;
  /** Set for a program in a terminal: its command. */
  readonly terminal?: readonly string[];
  /** The words of its own with which a terminal shows that it asks: only then does it, however soon the model wanted it. */
  readonly asksBy?: { readonly approval: RegExp; readonly question: RegExp };
  /** The words of its own that its terminal shows for as long as it works. */
  readonly worksBy?: RegExp;
  /** It begins with a dialog, in which Enter goes on. */
  readonly greets?: true;
}

export class Actor {
  private readonly outputs: number[] = [];
  private readonly samples: ScreenSample[] = [];
  private peer: TerminalPeer | null = null;

  /** Ready, and idle. */
  static async enter(role: Role, lab: Lab): Promise<Actor> {
    const more: Partial<CreateSession> = role.terminal ? { args: [...role.terminal] } : {};
    const session = role.terminal
      ? await lab.openSession(role.harness, more)
      : await lab.start(role.harness, "Hello. [[text:hello]]", more);
    const actor = new Actor(role, lab, session);
    if (role.terminal) await actor.watch();
    if (role.greets) {
      await session.reaches("waiting_input");
      actor.peer?.type("\r");
    }
    await session.reaches("completed");
    return actor;
  }

  private constructor(
    readonly role: Role,
    private readonly lab: Lab,
    readonly session: LabSession,
  ) {}

  async send(text: string): Promise<void> {
    await this.session.send(text);
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

  async kill(): Promise<void> {
    process.kill(-(await this.session.pid()), "SIGKILL");
  }

  /** What Signalbox showed, and when it had reached us. */
  shown(): readonly Shown[] {
    return this.session.told.flatMap((told) => {
      const change = stateOf(told);
      return change?.type === "state_changed" && change.from !== change.to
        ? [{ atMs: told.atMs, status: change.to }]
        : [];
    });
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

  async leave(): Promise<void> {
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
    peer.socket.on("message", (_data, isBinary) => {
      if (!isBinary) return;
      const atMs = Date.now();
      this.outputs.push(atMs);
      void peer.lines().then((lines) => {
        this.samples.push({ atMs, text: lines.slice(-peer.rows).join("\n") });
      });
    });
  }
}
