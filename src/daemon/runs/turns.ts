/**
 * Whose output is taken next, and how much of it at once.
 *
 * Beside others a session takes little at a time, because they wait while it is written down. Who says as much as agents do
 * goes at once. Who says far more is heard too, but as long as anybody else speaks, such sessions go one after the other,
 * and rest in between. When nobody else does, they go as fast as they can.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Gate } from "./gate.js";

export interface Allowance {
  readonly bytes: number;
  readonly lines: number;
}

/** What is on its way to the journal at once. It bounds memory, and leaves no client behind that would keep up. */
const UNDERWAY_BYTES_MAX = 512 * 1024;
/** The most that one session puts into one commit: what comes after it waits meanwhile. */
export const FULL_TURN: Allowance = { bytes: 64 * 1024, lines: 200 };
/** The same beside others who speak: a few milliseconds, whatever the lines are. */
export const SMALL_TURN: Allowance = { bytes: 16 * 1024, lines: 16 };

/** What a session may say all the time: several times what a model writes. */
const SHARE_BYTES_PER_MS = 128;
/** And this at once: the output of a tool, a long answer. */
const SHARE_BYTES_MAX = 128 * 1024;
/** The shortest line costs as much as one of this length. */
const LINE_BYTES_MIN = 256;
/** Somebody who spoke so lately will speak again. */
const SPOKE_MS = 100;
/** A small turn is followed by a rest of so many times its length. */
const REST = 2;

/** How much of its share a session has used. */
export interface Share {
  usedBytes: number;
  atMs: number;
}

export interface TurnsClock {
  readonly nowMs: () => number;
  readonly sleep: (delayMs: number) => Promise<unknown>;
}

const REAL_TIME: TurnsClock = { nowMs: () => performance.now(), sleep: (delayMs) => sleep(delayMs) };

export class Turns {
  private readonly room = new Gate(UNDERWAY_BYTES_MAX);
  private readonly oneAtATime = new Gate(1);
  /** Who spoke last of those who have not used up their share, and when somebody else did before. */
  private last: { readonly share: Share | null; readonly atMs: number } = { share: null, atMs: -Infinity };
  private othersAtMs = -Infinity;

  constructor(private readonly clock = REAL_TIME) {}

  newShare(): Share {
    return { usedBytes: 0, atMs: this.clock.nowMs() };
  }

  /** Has `act` take at most what it is allowed; it says what it took, when that is in the journal. */
  async take(share: Share, act: (allowed: Allowance) => Promise<Allowance>): Promise<void> {
    if (!this.hasUsedUp(share)) this.spoke(share);
    else if (this.isSpokenBeside(share) && (await this.tookSmallTurn(share, act))) return;
    const allowed = this.isSpokenBeside(share) ? SMALL_TURN : FULL_TURN;
    await this.room.enter(allowed.bytes);
    try {
      this.charge(share, await act(allowed));
    } finally {
      this.room.leave(allowed.bytes);
    }
  }

  /** False: when it was this one's turn nobody spoke any more. */
  private async tookSmallTurn(
    share: Share,
    act: (allowed: Allowance) => Promise<Allowance>,
  ): Promise<boolean> {
    await this.oneAtATime.enter(1);
    try {
      if (!this.isSpokenBeside(share)) return false;
      const startedAtMs = this.clock.nowMs();
      this.charge(share, await act(SMALL_TURN));
      await this.clock.sleep(REST * (this.clock.nowMs() - startedAtMs));
      return true;
    } finally {
      this.oneAtATime.leave(1);
    }
  }

  private spoke(share: Share): void {
    if (this.last.share !== share) this.othersAtMs = this.last.atMs;
    this.last = { share, atMs: this.clock.nowMs() };
  }

  private isSpokenBeside(share: Share): boolean {
    const atMs = this.last.share === share ? this.othersAtMs : this.last.atMs;
    return this.clock.nowMs() - atMs < SPOKE_MS;
  }

  private hasUsedUp(share: Share): boolean {
    return this.usedBy(share) >= SHARE_BYTES_MAX;
  }

  /** What was used comes back with time. */
  private usedBy(share: Share): number {
    return Math.max(0, share.usedBytes - (this.clock.nowMs() - share.atMs) * SHARE_BYTES_PER_MS);
  }

  /** Never more than twice the share: who was quiet for some seconds is like any other. */
  private charge(share: Share, { bytes, lines }: Allowance): void {
    const used = this.usedBy(share) + Math.max(bytes, lines * LINE_BYTES_MIN);
    share.usedBytes = Math.min(used, 2 * SHARE_BYTES_MAX);
    share.atMs = this.clock.nowMs();
  }
}
