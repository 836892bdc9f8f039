import type { Counts } from "./counts.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";
import type { SimDisk } from "./sim-disk.js";
import type { Heard } from "./sim-run.js";
import type { Trace } from "./trace.js";
import type { VirtualTime } from "./virtual-time.js";

/** What everybody in a simulation shares. */
export interface SimWorld {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly counts: Counts;
  readonly disk: SimDisk;
  /** No more faults, and agents that behave: what is left must come to an end. */
  isCalm: boolean;
  readonly heard: (heard: Heard) => void;
  /** Something that must hold does not. Always throws. */
  readonly fail: (problem: string) => never;
  /** Hears what comes of it; that it fails must not be. Never, when the daemon ends before. */
  readonly expect: <T>(promise: Promise<T>, hear: (value: T) => void) => void;
}
