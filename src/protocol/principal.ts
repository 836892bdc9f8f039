/** Who did it: whoever asked for something, or answered in a person's place. */
import { z } from "zod";

export const PRINCIPAL_KINDS = [
  /** A browser that was signed in. */
  "device",
  /** Whoever has the token of the data folder: the command line, and programs of the same person. */
  "token",
  /** The agent of a session, or what it started; `id` is the session's. */
  "agent",
  /** An MCP server for an agent that Signalbox does not run. */
  "mcp",
  /** A permission rule; `id` is its file, `name` the rule. */
  "rule",
  "wall",
  /** Auto-approve. */
  "auto",
  "schedule",
  "hook",
  /** Another machine. */
  "host",
] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

export const principalSchema = z.object({
  kind: z.enum(PRINCIPAL_KINDS),
  id: z.string(),
  name: z.string(),
});
export type Principal = z.infer<typeof principalSchema>;

export const TOKEN_PRINCIPAL: Principal = { kind: "token", id: "token", name: "the token" };

export function agentPrincipal(sessionId: string): Principal {
  return { kind: "agent", id: sessionId, name: `the agent of session ${sessionId}` };
}

export const MCP_PRINCIPAL: Principal = { kind: "mcp", id: "mcp", name: "an MCP client" };

/** Names it among all principals: two devices of the same name are two. */
export function principalKey({ kind, id }: Principal): string {
  return `${kind}:${id}`;
}

const NO_PERSONS: ReadonlySet<PrincipalKind> = new Set(["agent", "mcp", "schedule", "hook"]);

/** Whether it may do what only a person may. */
export function mayBePerson({ kind }: Principal): boolean {
  return !NO_PERSONS.has(kind);
}
