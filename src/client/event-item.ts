import type { HealthReport } from "../protocol/api-schemas.js";
import type { WorkspaceChange } from "../protocol/workspace.js";
import type { StateEvent } from "../protocol/state-event.js";
import type { StreamEvent } from "../protocol/stream-event.js";

export interface EventQuery {
  /** Only this session's. */
  readonly session?: string;
  /** Only what comes after this position of the journal; absent: from now on. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** Called each time a connection stands: from here on nothing is missed. */
  readonly onOpen?: () => void;
  /** Called each time a connection is lost, or could not be made: it is tried again. */
  readonly onLost?: () => void;
  /** How the daemon is: called each time a connection stands, and whenever it changes. `checks` are those that fail. */
  readonly onHealth?: (health: HealthReport) => void;
  /** Something of a workspace has changed. What changes while no connection stands is not told: ask again in `onOpen`. */
  readonly onWorkspace?: (change: WorkspaceChange) => void;
}

export type EventItem =
  | {
      readonly type: "event";
      readonly channel: "stream";
      readonly position: number;
      readonly event: StreamEvent;
    }
  | {
      readonly type: "event";
      readonly channel: "state";
      readonly position: number;
      readonly event: StateEvent;
    }
  /** The journal lost its end: forget everything that was read, and begin anew. */
  | { readonly type: "reset" };
