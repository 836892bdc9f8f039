/** Server-sent events of `GET /v1/events`. `id:` is the journal's position. */
export const SSE_EVENTS = {
  stream: "agent:stream_event",
  state: "agent:state_event",
  /** The client's position is beyond the journal's end: forget everything and begin anew. */
  reset: "reset",
  /** The client fell too far behind and is cut off; it resumes by position. */
  lagged: "lagged",
  /** A `HealthReport` with what is wrong, when a client connects and whenever it changes. It has no position. */
  health: "health",
  /** A `WorkspaceChange`: something of a workspace is not as it was. It has no position; who comes back asks for all. */
  workspace: "workspace",
} as const;

export const HEARTBEAT_DELAY_MS = 15_000;
export const LAG_EVENTS_MAX = 10_000;
