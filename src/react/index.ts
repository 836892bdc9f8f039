/** `signalbox/react`: hooks over a daemon's sessions. */
export { SignalboxProvider, useStore, type SignalboxProviderProps } from "./signalbox-provider.js";
export {
  useActivity,
  useDoing,
  useAgentSession,
  useClient,
  useConnection,
  useHealth,
  useRoster,
  useSessions,
  useThread,
  useTimeline,
  type AgentSessionView,
} from "./hooks.js";
export type { AgentSession } from "./agent-session.js";
export type { Roster } from "./roster-view.js";
export type { SignalboxStore, StateListener } from "./store.js";
export type { Connection } from "./stream-loop.js";
export type { ThreadView } from "./thread-watches.js";
export type { StatusChange, Timeline } from "./timelines.js";
