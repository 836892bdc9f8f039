/**
 * The socket by which an agent behind a wall reaches the daemon: what `signalbox mcp` needs, in the agent's own name, and
 * nothing else. Who calls is said by the socket, never by the caller.
 */
import type { CallName } from "./api.js";
import type { PlainCallName } from "./plain-calls.js";

/** Inside the wall. A folder is mounted, not the socket: a daemon that was started again makes a new socket in it. */
export const AGENT_SOCKET_FOLDER = "/run/signalbox-agent";
export const AGENT_SOCKET_NAME = "mcp.sock";

/** Names the socket to whatever runs inside. Some agents do not hand it on to MCP servers: its place is always the same. */
export const AGENT_SOCKET_VARIABLE = "SIGNALBOX_AGENT_SOCKET";
export const AGENT_SOCKET = `${AGENT_SOCKET_FOLDER}/${AGENT_SOCKET_NAME}`;

/** There, in the place of a session's id: the session of the agent itself. */
export const OWN_SESSION = "self";

/** The tools of `signalbox mcp`. Rules name them as `Mcp(signalbox/NAME)`. */
export const MCP_TOOLS = [
  "list_sessions",
  "start_session",
  "read_session",
  "send_message",
  "wait_for_session",
  "stop_session",
  "start_race",
  "read_race",
  "read_workspace",
  "read_changes",
  "finish_workspace",
] as const;
export type McpTool = (typeof MCP_TOOLS)[number];

const OF_SESSIONS = [
  "list_sessions",
  "read_session",
  "send_message",
  "wait_for_session",
  "stop_session",
  "read_changes",
] as const satisfies readonly McpTool[];

/**
 * The calls that the socket takes, and the tools that make them: the rules must permit one of these. None: it is needed to
 * ask what the rules say.
 */
export const AGENT_CALLS = {
  testPermission: [],
  getSession: OF_SESSIONS,
  listSessions: OF_SESSIONS,
  createSession: ["start_session"],
  getThread: ["read_session"],
  sendMessage: ["send_message"],
  getRoster: ["send_message"],
  events: ["wait_for_session"],
  cancel: ["stop_session"],
  createRace: ["start_race"],
  getRace: ["read_race"],
  listWorkspaces: ["read_workspace", "finish_workspace"],
  getChanges: ["read_changes"],
  getPatch: ["read_changes"],
} as const satisfies Partial<Record<CallName | PlainCallName, readonly McpTool[]>>;
export type AgentCallName = keyof typeof AGENT_CALLS;

export function isAgentCall(name: string | undefined): name is AgentCallName {
  return name !== undefined && Object.hasOwn(AGENT_CALLS, name);
}
