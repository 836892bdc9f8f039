import type { Json, SessionFact } from "../core/index.js";
import { READY_DELAY_MS } from "../core/session/state.js";
import type { AppliedWall, GrantOutcome, OutboxItem, Performed } from "./ports.js";
import type { SessionLoop } from "./session-loop.js";
import type { Writing } from "./writing.js";

type Exit = Extract<SessionFact, { readonly type: "process_exit" }>;

/** Writes down that a call is done and what came of it; a process that never began is left to the caller. */
export function takePerformed(
  item: OutboxItem,
  performed: Performed,
  loop: SessionLoop,
  writing: Writing,
): Exit | null {
  const { call, sessionId, effectId } = item;
  const run = "run" in call ? call.run : 0;
  writing.batch.acked.push({ sessionId, effectId });
  if (performed.started === true) {
    seatAgent(loop, run, writing);
    renewReady(loop, run, writing);
  }
  if (performed.wall && call.type === "spawn") takeWall(performed.wall, run, loop, writing);
  if (performed.forgot === true && loop.cursor.run === run) loop.forgot(writing);
  if (performed.undelivered !== undefined) tellUndelivered(performed.undelivered, loop, writing);
  if (performed.granted) takeGrant(performed.granted, loop, writing);
  if (call.type === "query" && performed.answer && loop.cursor.run === run)
    loop.answer(call.queryId, call.query, performed.answer, writing);
  let exit: Exit | null = null;
  for (const { fact, source } of performed.facts) {
    if (fact.type === "process_exit") exit = fact;
    else loop.fact(fact, source, writing);
  }
  return exit;
}

/** Somebody was told that it was done: they read in the conversation, too, that it was not. */
function tellUndelivered(what: string, loop: SessionLoop, writing: Writing): void {
  const message = `Not delivered: ${what}. The agent ended with its keeper before it was known to have it.`;
  // A note, not an error of the stream: nothing of the machine follows from it.
  const payload = { note: message };
  loop.forward({ type: "stream", streamId: `run-${loop.cursor.run}`, event: "metadata", payload }, writing);
  const error = { code: "delivery_failed", message, retryable: true, source: "orchestrator" } as const;
  loop.tell({ type: "session_error", ...error }, null, writing);
}

/** What a person agreed to is written down; that it could not be kept is told at once. */
function takeGrant(granted: GrantOutcome, loop: SessionLoop, writing: Writing): void {
  const { scope, rules, file, problem } = granted;
  if (scope === "session" && problem === null) loop.addGrants(rules, writing);
  const payload = { grant: { scope, rules: [...rules], file, problem } };
  loop.forward({ type: "stream", streamId: `run-${loop.cursor.run}`, event: "metadata", payload }, writing);
  if (problem === null) return;
  const error = { code: "conflict", message: problem, retryable: false, source: "orchestrator" } as const;
  loop.tell({ type: "session_error", ...error }, null, writing);
}

/** The plan is written down with the run; what the session shows of it is kept with the session. */
function takeWall({ plan, because }: AppliedWall, run: number, loop: SessionLoop, writing: Writing): void {
  if (plan === null) {
    loop.setWall({ run, seq: 0, isWalled: false, network: null, because }, writing);
    return;
  }
  // A plan is plain JSON: it came of its schema.
  const payload = { wall: { run, plan: plan as Json } };
  const output = { type: "stream", streamId: `run-${run}`, event: "metadata", payload } as const;
  const { seq } = loop.forward(output, writing);
  loop.setWall({ run, seq, isWalled: true, network: plan.network.mode, because: null }, writing);
}

/** Its process may have waited for its turn: the time that it has to be ready begins now. */
function renewReady({ id, state }: SessionLoop, run: number, writing: Writing): void {
  const { readyTimer } = state;
  if (readyTimer === null || state.run !== run) return;
  const dueAtMs = writing.nowMs + READY_DELAY_MS;
  writing.batch.startedTimers.push({ sessionId: id, timerId: readyTimer, dueAtMs });
}

/** A codec that watches a terminal says itself which agent runs in it. */
function seatAgent(loop: SessionLoop, run: number, writing: Writing): void {
  const isNews = loop.seatedRun !== run && loop.state.run === run && loop.state.alive;
  if (!isNews || loop.harness.framing === "bytes") return;
  loop.seat(run, writing);
  writing.seat({ type: "agent_started", seat: loop.id, agent: loop.settings.harness });
}
