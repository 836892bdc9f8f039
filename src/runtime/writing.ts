import type { RosterEvent } from "../core/index.js";
import type { Principal } from "../protocol/principal.js";
import type { Batch } from "./batch.js";
import type { Observer } from "./ports.js";

/** Where and when a session's events are written down. */
export interface Writing {
  readonly batch: Batch;
  readonly nowMs: number;
  /** Whose request it is; null: something happened. */
  readonly by: Principal | null;
  readonly nextPosition: () => number;
  readonly observer: Observer;
  /** Who sits where, in the same transaction. */
  readonly seat: (event: RosterEvent) => void;
}
