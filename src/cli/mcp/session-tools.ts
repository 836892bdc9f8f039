/** What another agent can do with sessions. It can never answer what a session asks of a person. */
import { resolve } from "node:path";
import { z } from "zod";
import type { Client } from "../../client/client.js";
import { route } from "../../core/roster/route.js";
import { STATUSES, type Status } from "../../core/session/state.js";
import type { Item } from "../../core/thread/thread.js";
import type { McpTool } from "../../protocol/agent-socket.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import { isShellSession } from "../../protocol/session-words.js";
import type { SessionSummary } from "../../protocol/session.js";
import { describeInput } from "../tool-line.js";
import { resolveSession } from "../session-name.js";
import { listAllSessions } from "../session-list.js";
import type { Caller } from "./caller.js";
import { RACE_TOOLS } from "./race-tools.js";
import { sessionId, tool, ToolRefusal, UNRULED_HARNESS, type SessionTool } from "./tool.js";
import { WORKSPACE_TOOLS } from "./workspace-tools.js";

const SESSIONS_MAX = 100;
const READ_LENGTH_MAX = 50_000;
const WAIT_SECONDS_MAX = 600;
const WAIT_SECONDS = 60;
const ENDS: readonly Status[] = [
  "completed",
  "error",
  "stopped",
  "paused",
  "waiting_approval",
  "waiting_input",
];

export const SESSION_TOOLS: Readonly<Record<McpTool, SessionTool>> = {
  list_sessions: tool({
    description: "Lists the sessions of Signalbox: coding agents that run, wait or have ended; newest first.",
    input: { status: z.enum(STATUSES).optional().describe("Only sessions with this status") },
    isReadOnly: true,
    run: async (client, _caller, { status }) => {
      const sessions = await listAllSessions(client, status === undefined ? null : [status]);
      return { sessions: sessions.slice(0, SESSIONS_MAX).map(brief), total: sessions.length };
    },
  }),
  start_session: tool({
    description:
      "Starts another coding agent on a prompt, in a folder. It asks a person for what the rules do not permit. Returns its id: use wait_for_session, then read_session.",
    input: {
      harness: z.string().min(1).max(100).describe("Which agent: claude, codex, gemini, builtin, demo, ..."),
      prompt: z.string().min(1).max(100_000),
      cwd: z.string().max(4_096).optional().describe("Where it works; the caller's folder when absent"),
      title: z.string().min(1).max(500).optional(),
      model: z.string().min(1).max(200).optional(),
    },
    isReadOnly: false,
    run: async (client, caller, { harness, prompt, cwd, title, model }) => {
      if (harness === UNRULED_HARNESS)
        throw new ToolRefusal(
          "No rule would hold in a terminal. Start an agent, or ask a person to start it.",
        );
      const session = await client.createSession({
        harness,
        prompt,
        cwd: resolve(caller.cwd, cwd ?? "."),
        ...(title === undefined ? {} : { title }),
        ...(model === undefined ? {} : { model }),
      });
      return brief(session);
    },
  }),
  read_session: tool({
    description: "What was said and done in a session, newest last, and its status.",
    input: {
      sessionId,
      maxLength: z
        .number()
        .int()
        .min(100)
        .max(READ_LENGTH_MAX)
        .optional()
        .describe("Characters; 10000 when absent"),
    },
    isReadOnly: true,
    run: async (client, _caller, { sessionId: id, maxLength = 10_000 }) => {
      const session = await resolveSession(client, id);
      const { items } = await client.getThread(session.id);
      const text = (items as unknown as readonly Item[])
        .map(readable)
        .filter((line) => line !== "")
        .join("\n\n");
      return { ...brief(session), text: text.slice(-maxLength), isCut: text.length > maxLength };
    },
  }),
  send_message: tool({
    description:
      "Sends a message to a session's agent; it is queued until the agent can take it. What a session asks of a person cannot be answered this way.",
    input: {
      sessionId,
      text: z.string().min(1).max(100_000),
      fallback: z
        .boolean()
        .optional()
        .describe("When no agent runs in that session, the connected agent gets it instead"),
    },
    isReadOnly: false,
    run: async (client, caller, { sessionId: id, text, fallback = false }) => {
      const named = await resolveSession(client, id);
      const session = fallback ? await withFallback(client, named) : named;
      refuseOwn(caller, session);
      if (session.harness === UNRULED_HARNESS)
        throw new ToolRefusal(
          session.agent === null
            ? "No agent is in front of this terminal, only a shell or a program: a message would be run without a rule. Only a person types there. (no_agent)"
            : "What is typed into a terminal is run without a rule; only a person does that.",
        );
      const { messageId, status } = await deliver(client, session, text);
      return { sessionId: session.id, messageId, status, ...shownOf(session) };
    },
  }),
  wait_for_session: tool({
    description: "Waits until a session has ended, failed, or waits for a person; returns its status.",
    input: {
      sessionId,
      statuses: z
        .array(z.enum(STATUSES))
        .min(1)
        .optional()
        .describe(`${ENDS.join(", ")} when absent`),
      timeoutSeconds: z
        .number()
        .min(0)
        .max(WAIT_SECONDS_MAX)
        .optional()
        .describe(`${WAIT_SECONDS} when absent`),
    },
    isReadOnly: true,
    run: async (client, _caller, { sessionId: id, statuses = ENDS, timeoutSeconds = WAIT_SECONDS }) => {
      const { id: found } = await resolveSession(client, id);
      const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
      for await (const item of client.follow(found, { signal })) {
        if (item.type === "session" && statuses.includes(item.session.status))
          return { ...brief(item.session), timedOut: false };
      }
      return { ...brief(await client.getSession(found)), timedOut: true };
    },
  }),
  stop_session: tool({
    description: "Stops a session's agent. A person can resume it.",
    input: { sessionId },
    isReadOnly: false,
    run: async (client, caller, { sessionId: id }) =>
      brief(await client.cancel((await resolveOther(client, caller, id)).id)),
  }),
  ...RACE_TOOLS,
  ...WORKSPACE_TOOLS,
};

/** A model cannot read codes: it is told what became of its message, and what not to try. */
async function deliver(client: Client, { id, title }: SessionSummary, text: string) {
  try {
    return await client.sendMessage(id, { text, unlessAsked: true });
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.code !== "no_agent") throw error;
    throw new ToolRefusal(
      `No agent is there to take a message in ${JSON.stringify(title)}; nothing was sent, and trying again will not help. A person can start one. (no_agent)`,
    );
  }
}

/** Whoever gets it is looked at here: it may be a terminal, or the caller. */
async function withFallback(client: Client, named: SessionSummary): Promise<SessionSummary> {
  const { seats, connected } = await client.getRoster();
  const roster = seats.map(({ sessionId: seat, agent, status }) => ({ seat, agent, status, order: 0 }));
  const routed = route({ seats: roster, connected, counter: 0 }, { seat: named.id, fallback: true });
  return routed.ok && routed.seat !== named.id ? client.getSession(routed.seat) : named;
}

async function resolveOther(client: Client, caller: Caller, id: string): Promise<SessionSummary> {
  const session = await resolveSession(client, id);
  refuseOwn(caller, session);
  return session;
}

function refuseOwn(caller: Caller, session: SessionSummary): void {
  if (session.id === caller.sessionId) throw new ToolRefusal("That is your own session.");
}

/** Who is in front of a terminal, and whether the status is known to be so now. */
function shownOf({ agent, certainty, ending }: SessionSummary) {
  return {
    ...(agent === null ? {} : { agent: agent.name }),
    ...(certainty === "known" ? {} : { certainty, note: "The status is the last that was proven." }),
    ...(ending === null ? {} : { ending }),
  };
}

function brief(session: SessionSummary) {
  const { id, title, harness, cwd, status, asks, error, returned } = session;
  const waitsFor = asks.filter((ask) => ask.needsHuman).map((ask) => `${ask.ask}: ${ask.title}`);
  return {
    id,
    title,
    harness,
    cwd,
    status: isShellSession(session) ? "idle (a shell, no agent)" : status,
    ...shownOf(session),
    ...(returned.length === 0 ? {} : { notDelivered: returned.length }),
    ...(waitsFor.length > 0 ? { waitsForAPerson: waitsFor } : {}),
    ...(error === null ? {} : { error: `${error.code}: ${error.message}` }),
  };
}

function readable(item: Item): string {
  switch (item.type) {
    case "user_message":
      return `[person] ${item.text}`;
    case "assistant_message":
      return item.text;
    case "tool_call":
      return `[tool] ${item.name ?? "a tool"}: ${describeInput(item.input ?? item.args)} (${item.state})`;
    case "ask":
      return `[ask] ${item.ask}: ${item.title}`;
    case "error":
      return `[error] ${item.message}`;
    case "note":
      return `[note] ${item.text}`;
    case "thinking":
    case "artifact":
      return "";
  }
}
