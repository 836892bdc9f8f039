import type { Life } from "./life.js";
import type { Random } from "./random.js";
import { Violation } from "./trace.js";

interface Pending {
  readonly label: string;
  readonly life: Life | null;
  readonly act: () => Promise<Outcome>;
}

type Outcome = () => void;

/** What is under way in the world: each thing happens when the generator says so, in any order. */
export class Scheduler {
  private readonly pending: Pending[] = [];

  constructor(
    private readonly random: Random,
    private readonly note: (text: string) => void,
  ) {}

  get isIdle(): boolean {
    return this.pending.length === 0;
  }

  /** Happens some time later. Whoever waits hears of it only if it still lives then. */
  defer<T>(label: string, life: Life | null, act: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (life?.alive === false) return;
      const happen = async (): Promise<Outcome> => {
        try {
          const value = await act();
          return () => resolve(value);
        } catch (error) {
          if (error instanceof Violation) throw error;
          return () => reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.pending.push({ label, life, act: happen });
    });
  }

  forget(life: Life): void {
    const others = this.pending.filter((pending) => pending.life !== life);
    this.pending.splice(0, this.pending.length, ...others);
  }

  /** Does one thing. `beforeOutcome` may end the daemon that would have heard of it. */
  async doOne(beforeOutcome: () => void = () => undefined): Promise<void> {
    const [pending] = this.pending.splice(this.random.below(this.pending.length), 1);
    if (!pending) return;
    this.note(pending.label);
    const tell = await pending.act();
    beforeOutcome();
    if (pending.life?.alive !== false) tell();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
