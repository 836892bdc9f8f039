/** What must hold whenever nothing is under way but time. */
import { isDeepStrictEqual } from "node:util";
import { deriveUi, isResting, reconstruct, type SessionState } from "../../src/core/index.js";
import { messageLine } from "../../src/core/session/state.js";
import { runIdOf } from "../../src/daemon/runs/run-id.js";
import type { Journal, Loaded } from "../../src/runtime/ports.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";
import type { Hearing } from "./hearing.js";
import type { Kept, Ledger } from "./ledger.js";
import type { SimKeeper } from "./sim-keeper.js";
import type { SimRun } from "./sim-run.js";
import type { SimWorld } from "./sim-world.js";

export interface Subject {
  readonly world: SimWorld;
  readonly runtime: Runtime;
  readonly keeper: SimKeeper;
  readonly ledger: Ledger;
  readonly hearing: Hearing;
  readonly loaded: Loaded;
}

export function checkQuiet(subject: Subject): void {
  const { world, ledger, runtime, loaded } = subject;
  if (runtime.lastPosition() !== ledger.lastPosition)
    world.fail(`the runtime says ${runtime.lastPosition()}, the journal ${ledger.lastPosition}`);
  if (loaded.roster && !isDeepStrictEqual(loaded.roster, runtime.roster()))
    world.fail("the roster in the journal is not the live one");
  for (const record of loaded.sessions) {
    const kept = ledger.sessions.get(record.id);
    if (!kept?.record || !isDeepStrictEqual(record, kept.record))
      world.fail(
        `${record.id} is stored as\n${JSON.stringify(record)}\nand was committed as\n${JSON.stringify(kept?.record)}`,
      );
    else checkSession(record, kept, subject);
  }
  if (loaded.sessions.length !== ledger.sessions.size) world.fail("a session is missing from the journal");
  for (const run of subject.keeper.everyRun.values()) checkRun(run, subject);
}

function checkSession(record: SessionRecord, kept: Kept, subject: Subject): void {
  const { world, runtime } = subject;
  const live = runtime.session(record.id);
  if (live && !isDeepStrictEqual(live, record))
    world.fail(`${record.id} is live as\n${JSON.stringify(live)}\nand stored as\n${JSON.stringify(record)}`);
  if (!live && !record.removing) world.fail(`${record.id} is stored and nobody knows it`);
  checkTimers(record, subject);
  checkMessages(record, subject);
  checkSeat(record, subject);
  checkLiveness(record, subject);
  checkOracle(record.state, subject.keeper.everyRun.get(runIdOf(record.id, record.state.run)), kept, subject);
}

function checkTimers({ id, state }: SessionRecord, { world, loaded }: Subject): void {
  const stored = loaded.timers.filter(({ sessionId }) => sessionId === id).map(({ timerId }) => timerId);
  const idleTimer = state.rest?.step === "waiting" ? state.rest.timerId : null;
  const wanted = [state.readyTimer, state.settle?.timerId ?? null, state.interruptTimer, idleTimer].filter(
    (timerId) => timerId !== null,
  );
  if (!isDeepStrictEqual(stored.toSorted(), wanted.toSorted()))
    world.fail(`${id} waits for the timers [${wanted}], and the journal has [${stored}]`);
}

function checkMessages({ id, state, removing }: SessionRecord, subject: Subject): void {
  const { world, ledger, loaded, hearing } = subject;
  if (removing) return;
  const hasCalls = loaded.outbox.some(({ sessionId }) => sessionId === id);
  for (const { messageId, sessionId, text, status } of ledger.messages.values()) {
    if (sessionId !== id) continue;
    const isSending = messageId === state.delivering || messageId === state.prompt;
    const known = isSending ? "sending" : state.queue.includes(messageId) ? "queued" : "sent";
    if (status !== known) world.fail(`the message ${messageId} is ${known}, and the journal says ${status}`);
    if (status === "sent" && !hasCalls && !hearing.wasHeard(text))
      world.fail(`the message ${messageId} was sent, and no agent heard it`);
  }
  for (const messageId of messageLine(state)) {
    if (!ledger.messages.has(messageId)) world.fail(`${messageId} is in the line, and nobody wrote it`);
    if (!loaded.unsettledMessages.some((message) => message.messageId === messageId))
      world.fail(`${messageId} is in the line, and its text is not loaded`);
  }
}

/** Who sits in the roster runs, rests or is being resumed, and who runs sits there. */
function checkSeat(
  { id, seatedRun, state }: SessionRecord,
  { world, runtime, keeper, loaded }: Subject,
): void {
  const seat = runtime.roster().seats.find((each) => each.seat === id);
  if (!seat) return world.fail(`${id} has no seat`);
  if ((seat.status === "none") !== (seatedRun === 0))
    world.fail(`the seat of ${id} is ${seat.status}, and its run is ${seatedRun}`);
  const run = seatedRun === 0 ? undefined : keeper.everyRun.get(runIdOf(id, seatedRun));
  const isResumed = loaded.outbox.some(({ sessionId, call }) => sessionId === id && call.type === "spawn");
  if (isResting(state)) world.counts.add("agents seen at rest");
  else if (seatedRun !== 0 && !isResumed && (!run || run.exit || run.lost))
    world.fail(`${id} has a seat for run ${seatedRun}, which has ended`);
}

/** Nobody watches a spinner behind which nothing can happen. */
function checkLiveness({ id, state }: SessionRecord, { world, keeper, loaded }: Subject): void {
  const run = keeper.everyRun.get(runIdOf(id, state.run));
  const isRunning = run !== undefined && !run.exit && !run.lost;
  const hasCalls = loaded.outbox.some(({ sessionId }) => sessionId === id);
  if (state.alive && !isRunning && !hasCalls)
    world.fail(`${id} is thought alive, and run ${state.run} is not`);
  if (!state.alive && isRunning) world.fail(`${id} is thought dead, and run ${state.run} lives`);
  const hasTimer = loaded.timers.some(({ sessionId }) => sessionId === id);
  if (deriveUi(state).showSpinner && !isRunning && !hasCalls && !hasTimer)
    world.fail(`${id} shows a spinner, and nothing can happen`);
}

/** Every text that reached the spool is in the journal once, in order, as long as its run was the current one. */
function checkRun(run: SimRun, { world, ledger, keeper }: Subject): void {
  const kept = ledger.sessions.get(run.sessionId);
  if (!kept?.record) return;
  const { state, progress, removing } = kept.record;
  const texts = kept.textsByRun.get(run.run) ?? [];
  const written = run.agent.texts.slice(0, texts.length);
  if (!isDeepStrictEqual(texts, written))
    world.fail(`${run.runId} wrote [${written}], and said is [${texts}]`);
  const isCurrent = progress.run === run.run && state.alive && !removing && keeper.has(run.runId);
  const hasEnded = kept.endedRuns.has(run.run) && !run.lost;
  const isWhole = (end: number): boolean => end <= run.outEnd || hasEnded;
  const spooled = run.textEnds.filter(isWhole).length;
  if ((isCurrent || hasEnded) && spooled !== texts.length)
    world.fail(`${run.runId} wrote ${spooled} texts, ${texts.length} arrived`);
  const isWanted = state.run === run.run && state.alive;
  if (run.lives && !isWanted && !run.isStopping) world.fail(`${run.runId} lives, and nobody wants it`);
}

/** The status by what the agent itself knows, with the oracle of the core. */
function checkOracle(state: SessionState, run: SimRun | undefined, kept: Kept, subject: Subject): void {
  const { world, loaded } = subject;
  if (!run || run.lost || (run.exit === null) === !state.alive || state.interrupting || state.settle) return;
  if (state.onReady !== null || loaded.outbox.some(({ sessionId }) => sessionId === kept.id)) return;
  const { agent } = run;
  if (!run.isDrained) return;
  if (agent.lastAsk === "unknown" || agent.openAskCount > 1 || !agent.isReady || !agent.hasActed) return;
  if (kept.replay.wasInterrupted || state.error?.code === "delivery_failed") return;
  const exited = run.exit?.code === 0 ? "exited-ok" : "exited-error";
  const process = run.exit === null ? "alive" : isResting(state) ? "rested" : exited;
  const isEnded = state.stopRequested && state.rest === null;
  const sessionStatus = isEnded ? (state.status === "error" ? "error" : "stopped") : "running";
  const status = reconstruct({ sessionStatus, lastAsk: agent.lastAsk, process });
  world.counts.add("statuses compared with the agent's own");
  if (status !== state.status)
    world.fail(`${kept.id} is ${state.status}, and by what its agent knows it is ${status}`);
}

/** The same in the real journal as in the model of it. */
export async function checkStored(journal: Journal, model: Journal, world: SimWorld): Promise<Loaded> {
  const loaded = await journal.load();
  if (journal === model) return loaded;
  if (!isDeepStrictEqual(loaded, await model.load()))
    world.fail("the journal loads something else than its model");
  const query = { after: 0, limit: 100_000 };
  if (!isDeepStrictEqual(await journal.readEntries(query), await model.readEntries(query)))
    world.fail("the journal has other entries than its model");
  return loaded;
}
