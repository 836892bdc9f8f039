/** Who is in front: processes, a person's word, a shell's marks, and the first output. The screen only confirms. */
import { ignored } from "../step.js";
import type { Change } from "./change.js";
import type { EventOf } from "./events.js";
import { isSameProcess, seenProgram } from "./gates.js";
import { isSameProgram, type Program } from "./program.js";
import { rule } from "./rule.js";
import { initialTerminal, isShellRun, programIn, type ActivityOf, type TerminalActivity } from "./state.js";

export const start = rule<EventOf<"run_started">>(
  ["shell", "starting"],
  "nothing is known of the run but what was started; its first prompt waits for it",
  (change, event) => {
    const { run, launched } = event;
    const isShell = launched.type === "shell";
    const activity: TerminalActivity = isShell
      ? { type: "shell" }
      : { type: "starting", first: firstOf(event) };
    change.set({ ...initialTerminal, run, launched, activity });
  },
);

function firstOf({ first = null, messageId = null }: EventOf<"run_started">): First {
  if (first !== "prompt") return first && { type: first };
  return messageId === null ? null : { type: first, messageId };
}

type First = ActivityOf<"starting">["first"];

/** In a run that began as a shell. Of one that did not, a shell in front says nothing. */
function shellReady(change: Change): void {
  if (change.state.isReady || !isShellRun(change.state)) return;
  change.set({ isReady: true });
  change.tell({ type: "shell_ready" });
}

export const showShell = rule<EventOf<"printed" | "mark" | "screen">>(
  ["same"],
  "the shell is there: `shell_ready`, once",
  (change) => shellReady(change),
);

export const showProgram = rule<EventOf<"printed">>(
  ["same", "given"],
  "an agent takes the seat; of a program that nobody knows no more is known than that it is there",
  (change) => {
    const program = programIn(change.state);
    if (program.type === "agent") change.seat(program.agent);
    else if (program.type === "other") meetStranger(change);
  },
);

function meetStranger(change: Change): void {
  if (change.state.activity.type === "starting") change.begin("screen", false);
  // First that it is not known: nothing is handed over to it for being ready.
  change.becomeUnknown();
  change.ready();
}

export const frontShell = rule<EventOf<"foreground">>(
  ["shell", "same"],
  "no agent is in front any more: it has ended or was stopped; its ask and its first prompt go back",
  (change, event) => takeFront(change, event),
);

export const frontAgent = rule<EventOf<"foreground">>(
  ["starting", "same"],
  "an agent is in front; another process than before is another agent",
  (change, event) => takeFront(change, event),
);

export const frontOther = rule<EventOf<"foreground">>(
  ["shell", "starting", "given", "same"],
  "a command of a shell's is no agent; in a run of its own, nothing is known of it",
  (change, event) => takeFront(change, event),
);

function takeFront(change: Change, event: EventOf<"foreground">): void {
  const { state } = change;
  const { front, launched } = state;
  const { pid, start: startMark, isOwn } = event;
  const before = programIn(state);
  const program = seenProgram(front, launched, event);
  const isSame = front !== null && isSameProcess(front, event);
  const isNamed = isSame && front.isNamed;
  change.set({ front: { pid, start: startMark, program, isOwn, isNamed } });
  const isMet = !isShellRun(state) || state.activity.type === "shell";
  const isFirst = front === null && isSameProgram(before, program) && isMet;
  if (isFirst) meet(change, program);
  else if (!isSame || !isAlike(before, program)) replace(change, program, front !== null && !isSame);
}

/** The command of a program may change its name as it likes. */
function isAlike(one: Program, other: Program): boolean {
  return isSameProgram(one, other) || (one.type === "other" && other.type === "other");
}

/** What was started is what is in front. */
function meet(change: Change, program: Program): void {
  switch (program.type) {
    case "agent":
      change.seat(program.agent);
      return;
    case "shell":
      shellReady(change);
      return;
    case "other":
      if (!isShellRun(change.state)) meetStranger(change);
  }
}

/** What was known of the last program says nothing of this one. */
function replace(change: Change, program: Program, isOtherProcess: boolean): void {
  leave(change, isOtherProcess);
  const name = program.type === "agent" ? program.agent : null;
  change.seat(name);
  if (isShellRun(change.state)) enterShellRun(change, name);
  else enterOwnRun(change, program);
}

function leave(change: Change, isOtherProcess: boolean): void {
  const { agent } = change.state;
  if (isOtherProcess) change.seat(null);
  if (agent !== null) {
    // Its asks end with it.
    change.tell({ type: "agent_ended", start: agent.start });
    change.set({ agent: null, unknown: null });
    change.forgetAsk();
  }
  change.closeAsk();
  change.set({ requests: [], calls: [], endMark: null, lastFingerprint: null });
}

function enterShellRun(change: Change, name: string | null): void {
  const { front } = change.state;
  if (name === null || front === null) {
    change.become({ type: "shell" });
    shellReady(change);
    return;
  }
  const startMark = front.start === "" ? String(front.pid) : front.start;
  const sinceMs = change.atMs;
  change.set({ agent: { name, start: startMark }, isReady: true, unknown: { sinceMs, isStillTold: false } });
  change.become({ type: "starting", first: null });
  change.tell({ type: "agent_started", name, start: startMark, sinceMs });
}

/** A run of its own in which something was in front is not `creating` any more; one that is to go on never was. */
function endStart(change: Change): void {
  const { activity } = change.state;
  const isNew = activity.type === "starting" && activity.first?.type !== "handover";
  if (isNew && !isShellRun(change.state)) change.begin("screen", false);
}

function enterOwnRun(change: Change, program: Program): void {
  const { activity } = change.state;
  if (program.type === "shell") {
    endStart(change);
    change.become({ type: "shell" });
  } else if (activity.type !== "starting") change.become({ type: "starting", first: null });
  if (program.type === "agent") change.becomeUnknown();
  else meetStranger(change);
}

export const name = rule<EventOf<"named">>(
  ["starting", "same"],
  "the program in front is an agent by a person's word; a shell is none",
  (change, event) => {
    const { state } = change;
    const { front } = state;
    const program: Program = { type: "agent", agent: event.name };
    if (front === null || front.program.type === "shell") return ignored(state, "no program is in front");
    if (isSameProgram(front.program, program)) return ignored(state, "it is known as that");
    change.set({ front: { ...front, program, isNamed: true } });
    replace(change, program, false);
    return undefined;
  },
);

export const leaveByScreen = rule<EventOf<"left">>(
  ["shell", "same"],
  "where processes cannot be seen: the agent has ended, and nothing is typed any more",
  (change, { evidence }) => {
    if (change.state.front !== null) return ignored(change.state, "its process is seen");
    change.seat(null, evidence);
    leave(change, false);
    endStart(change);
    change.become({ type: "shell" });
    change.becomeUnknown();
    return undefined;
  },
);
