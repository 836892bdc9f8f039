/**
 * Keeps a terminal for one program while something is typed into it. Bytes that a program has not read when it dies wait in
 * its terminal, and the shell that started it would read them as commands. So everybody who could read them is frozen
 * first; should the program go, what it has not read is taken back before they go on.
 */
import type { KeeperNotice } from "../protocol/keeper.js";
import type { AgentProcess } from "./agent-process.js";
import {
  type Bystanders,
  bystandersOf,
  findMarked,
  freeze,
  type MarkedProcess,
  thaw,
} from "./frozen-processes.js";
import { removeHoldRecord, writeHoldRecord } from "./hold-record.js";
import type { OwnProcess } from "./own-process.js";
import { readProcess, startMarkOf } from "./process-table.js";
import { TerminalDrain } from "./terminal-drain.js";

/** How often it is looked whether the addressee is still there. */
const LOOK_EVERY_MS = 50;

export interface HoldOptions {
  readonly holdId: string;
  readonly addressee: MarkedProcess;
  /** The run's process, the agent's own, and the run's folder. */
  readonly agent: AgentProcess;
  readonly own: OwnProcess;
  readonly folder: string;
  /** When nobody releases it. */
  readonly lastsMs: number;
  /** Everybody goes on; the agent may be gone. */
  readonly onEnd: () => void;
}

/** How a hold ended: told to whoever releases it. */
export type HoldEnd = NonNullable<Extract<KeeperNotice, { readonly type: "done" }>["hold"]>;

/** Why there is no hold, for a person. */
export class HoldRefusal extends Error {
  override readonly name = "HoldRefusal";
  constructor(
    readonly code: "agent_gone" | "no_hold",
    message: string,
  ) {
    super(message);
  }
}

export class Hold {
  holdId: string;
  readonly addressee: MarkedProcess;
  /** Set when it has ended. */
  end: HoldEnd | null = null;
  private frozen: readonly MarkedProcess[] = [];
  private witnesses: readonly MarkedProcess[] = [];
  private drain: TerminalDrain | null = null;
  private lookTimer: NodeJS.Timeout | null = null;
  private endTimer: NodeJS.Timeout | null = null;
  /** What others have typed after the newest of our own input: it is read last. */
  private bytesAfter = 0;

  /** Rejects with `HoldRefusal`, and has left everybody as they were then. */
  static async take(options: HoldOptions): Promise<Hold> {
    const hold = new Hold(options);
    try {
      await hold.freeze();
    } catch (error) {
      // Nothing was typed yet: what waits in the terminal is a person's.
      hold.letGo();
      throw asRefusal(error);
    }
    return hold;
  }

  private constructor(private readonly options: HoldOptions) {
    this.holdId = options.holdId;
    const { pid, start } = options.addressee;
    this.addressee = { pid, start: start === "" ? markOfOwn(options) : start };
  }

  /** The addressee is there, and in front. Otherwise the hold has ended with this look. */
  look(): boolean {
    if (this.end === null && !this.isThere()) this.finish(false);
    return this.end === null;
  }

  isFor({ pid, start }: MarkedProcess): boolean {
    return this.addressee.pid === pid && (start === "" || this.addressee.start === start);
  }

  /** Lasts as long again, for whoever asks last. */
  renew(holdId: string): void {
    this.holdId = holdId;
    if (this.endTimer !== null) clearTimeout(this.endTimer);
    this.endTimer = setTimeout(() => this.finish(false), this.options.lastsMs);
  }

  /** Something was given to the terminal. */
  noteInput(isOurs: boolean, sizeBytes: number): void {
    this.bytesAfter = isOurs ? 0 : this.bytesAfter + sizeBytes;
  }

  release(isTaken: boolean): HoldEnd {
    return this.end ?? this.finish(isTaken);
  }

  private async freeze(): Promise<void> {
    const { agent, folder } = this.options;
    const { terminal } = agent;
    if (terminal === null || process.platform !== "linux") {
      throw new HoldRefusal("no_hold", "A shell cannot be held here while something is typed.");
    }
    const { addressee } = this;
    const found = this.bystanders();
    this.witnesses = found?.witnesses ?? [];
    if (found === null || !this.isThere()) throw gone();
    this.drain = TerminalDrain.open(terminal);
    writeHoldRecord(folder, { addressee, terminal, frozen: found.shells });
    this.frozen = found.shells;
    const isFrozen = await freeze(found.shells);
    if (!isFrozen) throw new HoldRefusal("no_hold", "The shell around the agent could not be held.");
    // Who is frozen starts nobody: what is so now stays so, but for the addressee's own doing.
    const again = this.bystanders();
    if (!this.isThere() || JSON.stringify(again?.witnesses) !== JSON.stringify(found.witnesses)) throw gone();
    this.lookTimer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.renew(this.holdId);
  }

  /** Who can read besides the addressee. A wall is neither: it has no part in what goes through its terminal. */
  private bystanders(): Bystanders | null {
    const { own } = this.options;
    const agent = own.read();
    const { pid } = this.addressee;
    return agent === null ? null : bystandersOf(agent, pid === own.leaderPid ? agent.pid : pid);
  }

  /** The addressee and its program live, nobody else has stopped them, and they get what is typed. */
  private isThere(): boolean {
    const { addressee, witnesses, frozen } = this;
    const { own } = this.options;
    const agent = own.read();
    if (agent === null) return false;
    const isOwn = addressee.pid === own.leaderPid;
    if (agent.foregroundGroup !== (isOwn ? agent.group : addressee.pid)) return false;
    if (isOwn ? findMarked(addressee) === null : witnesses[0]?.start !== addressee.start) return false;
    return witnesses.every((witness) => {
      const entry = findMarked(witness);
      return (
        entry !== null && !entry.zombie && (!entry.stopped || frozen.some(({ pid }) => pid === entry.pid))
      );
    });
  }

  private finish(isTaken: boolean): HoldEnd {
    const isGone = !this.isThere();
    const { agent } = this.options;
    const queued = agent.discardInput();
    // One that lives and listens is not disturbed by another mode of its terminal.
    const waiting = isTaken && !isGone ? this.drain?.takeReadable() : this.drain?.takeAll();
    const unread = Buffer.concat([waiting ?? Buffer.alloc(0), queued]);
    const unreadBytes = Math.max(0, unread.length - this.bytesAfter);
    const end: HoldEnd = { isGone, unreadBytes };
    this.end = end;
    if (isTaken && !isGone && unreadBytes === 0 && unread.length > 0) agent.write(unread);
    this.letGo();
    return end;
  }

  /** The last step, whatever happened: nobody stays frozen. */
  private letGo(): void {
    this.end ??= { isGone: true, unreadBytes: 0 };
    if (this.lookTimer !== null) clearInterval(this.lookTimer);
    if (this.endTimer !== null) clearTimeout(this.endTimer);
    thaw(this.frozen);
    removeHoldRecord(this.options.folder);
    this.drain?.close();
    this.drain = null;
    this.options.onEnd();
  }
}

/** The run's own process is known without a mark: it is the keeper's child. */
function markOfOwn({ agent, addressee }: HoldOptions): string {
  const entry = addressee.pid === agent.pid ? readProcess(agent.pid) : null;
  return entry === null ? "" : startMarkOf(entry);
}

function asRefusal(error: unknown): HoldRefusal {
  if (error instanceof HoldRefusal) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new HoldRefusal("no_hold", `The shell around the agent could not be held: ${why}`);
}

function gone(): HoldRefusal {
  return new HoldRefusal("agent_gone", "The agent that it was meant for is gone.");
}
