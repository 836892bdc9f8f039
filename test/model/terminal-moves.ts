/** What can happen next in the ghost's terminal. */
import type { Step } from "../../src/core/step.js";
import type { TerminalEffect } from "../../src/core/terminal/effects.js";
import type { TerminalEvent } from "../../src/core/terminal/events.js";
import type { TerminalState } from "../../src/core/terminal/state.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";
import type { Move, Node } from "./search.js";
import { enacted, fingerprintOf, type Budget, type TerminalGhost, type Typed } from "./terminal-ghost.js";

export type TerminalNode = Node<TerminalState, TerminalGhost>;
export type TerminalMove = Move<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;
export type World =
  "shell" | "agent" | "hooked" | "answered" | "continued" | "hurried" | "resumed" | "stranger";

const AT = { atMs: 0 } as const;

/** The event, and the world as it is before the machine's answer is done. */
function move(event: TerminalEvent, ghost: TerminalGhost): TerminalMove {
  return { event, ghost: ({ effects }) => enacted(ghost, effects) };
}

/** All that the world sees of a state. */
export interface Look {
  readonly isShell: boolean;
  readonly isUnknown: boolean;
}

export function lookAt({ activity, unknown }: TerminalState): Look {
  return { isShell: activity.type === "shell", isUnknown: unknown !== null };
}

/** All that the world sees of the machine's answer. */
interface Heard {
  readonly effects: readonly TerminalEffect[];
  readonly isStarting: boolean;
}

export function heardOf({ state, effects }: Step<TerminalState, TerminalEffect>): Heard {
  return { effects, isStarting: state.activity.type === "starting" };
}

/** The truth changes, and something is seen: each event that shows it, or none of them. */
export function movesFrom(look: Look, ghost: TerminalGhost, world: World): readonly TerminalMove[] {
  return [
    ...processes(ghost, world),
    ...screens(ghost, look, world),
    ...(world === "stranger" ? [] : prompts(ghost)),
    ...typings(ghost),
    ...requests(ghost, look, world),
    ...(world === "hooked" ? [...hooks(ghost, look), ...lateHooks(ghost, look)] : []),
    ...(isSettled(world) ? [...turnHooks(ghost, look), ...crossings(ghost), ...unasked(ghost)] : []),
    { ...move(NEXT_RUN, { ...ghost, ...RUN_AGAIN }), probe: true },
  ];
}

/** Worlds that begin with an agent that is seen to wait. */
export function isSettled(world: World): boolean {
  return world === "answered" || world === "continued" || world === "hurried";
}

/** Its process is seen, and that it waits. */
export function settled({ state, ghost }: TerminalNode, world: World): TerminalNode {
  const seen: TerminalGhost = { ...ghost, seenPid: ghost.pid, seesAgent: true };
  const events = [front(seen, world), shows({ activity: "idle" }, "fresh")];
  return events.reduce<TerminalNode>(
    (node, event) => {
      const step = terminalMachine.transition(node.state, event);
      return { state: step.state, ghost: enacted(node.ghost, step.effects) };
    },
    { state, ghost: seen },
  );
}

const NEXT_RUN: TerminalEvent = { type: "run_started", run: 2, launched: { type: "shell" } };

/** Nothing is known of the next run, and nothing of this one is left. */
const RUN_AGAIN = {
  told: { status: "creating", isUnknown: false, isReady: false, askId: null, agent: null, seat: null },
  truth: "shell",
  seenPid: 0,
  seesAgent: false,
  typing: [],
  first: "none",
} as const;

function spend(ghost: TerminalGhost, ...names: readonly (keyof Budget)[]): TerminalGhost | null {
  const budget = { ...ghost.budget };
  for (const name of names) {
    if (budget[name] === 0) return null;
    budget[name] -= 1;
  }
  return { ...ghost, budget };
}

// Processes

const SHELL_PID = 1;

function front(ghost: TerminalGhost, world: World): TerminalEvent {
  const base = { type: "foreground", ...AT } as const;
  const isOwnAgent = world !== "shell";
  switch (ghost.truth) {
    case "shell":
    case "gone":
      return shellInFront(isOwnAgent);
    case "command":
      return { ...base, pid: 90, start: "t90", command: "make", agent: null, isShell: false, isOwn: false };
    case "working":
    case "asking":
    case "dialog":
    case "waiting": {
      const agent = world === "stranger" ? null : "codex";
      const process = { pid: ghost.pid, start: `t${ghost.pid}`, command: "codex", agent };
      return { ...base, ...process, isShell: false, isOwn: isOwnAgent };
    }
  }
}

function shellInFront(isOwnAgent: boolean): TerminalEvent {
  return {
    type: "foreground",
    ...AT,
    pid: SHELL_PID,
    start: "t1",
    command: "sh",
    agent: null,
    isShell: true,
    isOwn: !isOwnAgent,
  };
}

function isAgent({ truth }: TerminalGhost): boolean {
  return truth !== "shell" && truth !== "command" && truth !== "gone";
}

function processes(ghost: TerminalGhost, world: World): readonly TerminalMove[] {
  const seen = { ...ghost, seenPid: isAgent(ghost) ? ghost.pid : SHELL_PID, seesAgent: isAgent(ghost) };
  const moves: TerminalMove[] = [
    move({ type: "printed", ...AT }, ghost),
    move(front(ghost, world), seen),
    move({ type: "mark", ...AT, mark: "prompt" }, ghost),
    move({ type: "mark", ...AT, mark: "running" }, ghost),
  ];
  if (isAgent(ghost)) {
    // It dies, or is stopped, and that is seen at once; or it is typed at before anybody has seen it.
    const gone: TerminalGhost = { ...ghost, truth: "gone", prompt: 0, isHalf: false, isHooked: false };
    moves.push(move(front(gone, world), { ...gone, seenPid: SHELL_PID, seesAgent: false }));
    moves.push(move({ type: "printed", ...AT }, gone));
    if (ghost.seenPid === 0) moves.push(move({ type: "left", ...AT, evidence: "goodbye" }, gone));
  } else {
    const started = spend(ghost, "starts");
    if (started) {
      const born: TerminalGhost = { ...started, truth: "working", pid: ghost.pid + 1, isHooked: false };
      moves.push(move(front(born, world), { ...born, seenPid: born.pid, seesAgent: true }));
      const other: TerminalGhost = { ...started, truth: "command" };
      moves.push(move(front(other, world), { ...other, seenPid: 90, seesAgent: false }));
    }
  }
  moves.push({ ...move({ type: "named", ...AT, name: "codex" }, ghost), probe: true });
  if (isAgent(ghost) && world !== "shell") {
    // An editor, or a pager, that the agent opens.
    const child = { pid: 91, start: "t91", command: "vi", agent: null, isShell: false, isOwn: false };
    const inFront = { ...ghost, seenPid: child.pid, seesAgent: false };
    moves.push({ ...move({ type: "foreground", ...AT, ...child }, inFront), probe: true });
  }
  // Its farewell is still on the screen.
  if (ghost.truth === "gone" && ghost.seenPid === 0)
    moves.push({ ...move({ type: "left", ...AT, evidence: "goodbye" }, ghost), probe: true });
  return moves;
}

// The screen

type Reading = Extract<TerminalEvent, { readonly type: "screen" }>["reading"];
type Stability = Extract<TerminalEvent, { readonly type: "screen" }>["stability"];

function shows(reading: Partial<Reading>, stability: Stability, atMs = 0): TerminalEvent {
  const whole: Reading = { activity: "unknown", evidence: ["seen"], prompt: null, ...reading };
  return { type: "screen", atMs, reading: whole, stability, retry: null };
}

const DIALOG: Partial<Reading> = {
  activity: "question",
  basis: "structure",
  prompt: { fingerprint: "d1", title: "Log in?", detail: "Log in?\n> yes", choices: [] },
};

function promptReading(ghost: TerminalGhost): Partial<Reading> {
  const choices = [
    { label: "Yes", meaning: "approve" },
    { label: "No", meaning: "reject" },
  ];
  const detail = ghost.isHalf ? "rm" : "rm x";
  return {
    activity: "approval",
    prompt: { fingerprint: fingerprintOf(ghost), title: `Prompt ${ghost.prompt}`, detail, choices },
  };
}

function screens(ghost: TerminalGhost, look: Look, world: World): readonly TerminalMove[] {
  const honest = { ...ghost, isLied: false };
  const moves: TerminalMove[] = [];
  const idle = (stability: Stability, evidence = ["an input box"]) =>
    shows({ activity: "idle", evidence }, stability);
  if (world === "stranger") return strangerScreens(ghost);
  switch (ghost.truth) {
    case "shell":
    case "gone":
      moves.push(move(shows({ activity: "shell" }, "fresh"), honest));
      break;
    case "command": {
      // A look-alike: any text that a command prints.
      moves.push(move(shows({ ...promptReading({ ...ghost, prompt: 1 }) }, "fresh"), ghost));
      moves.push(move(idle("steady"), ghost), move(idle("fresh"), ghost));
      moves.push(move(shows({ activity: "working" }, "fresh"), ghost));
      moves.push(move(shows({ activity: "working" }, "steady"), ghost));
      moves.push(move(shows(DIALOG, "steady"), ghost));
      break;
    }
    case "working": {
      moves.push(move(shows({ activity: "working" }, "fresh"), honest));
      moves.push(move(shows({ activity: "working" }, "steady"), honest));
      // Between two pictures it looks idle for a moment, which is not told; or for long, which is.
      const lied = spend(ghost, "lies");
      if (lied) moves.push(move(idle("steady"), { ...lied, isLied: true }));
      const over = spend(honest, "turns");
      if (over && !ghost.isHooked) {
        const waiting: TerminalGhost = { ...over, truth: "waiting" };
        moves.push(
          move(idle("fresh", ["Worked for 2s"]), waiting),
          move(idle("fresh", ["Interrupted"]), waiting),
        );
      }
      break;
    }
    case "asking":
      moves.push(move(shows(promptReading(ghost), "fresh"), honest));
      moves.push(move(shows({ activity: "approval" }, "fresh"), honest));
      break;
    case "dialog":
      moves.push(move(shows(DIALOG, "fresh"), honest), move(shows(DIALOG, "steady"), honest));
      moves.push(move(shows(DIALOG, "still"), honest));
      break;
    case "waiting":
      moves.push(move(idle("fresh"), honest), move(idle("steady"), honest));
      break;
  }
  if (isAgent(ghost)) {
    const vague = spend(ghost, "vague");
    if (vague) moves.push(move(shows({}, "steady"), vague));
    // Ghost text, a blink, a login page: whatever nobody understands.
    moves.push(move(shows({}, "fresh"), ghost));
    const isDialog = ghost.truth === "dialog";
    if (look.isUnknown && !isDialog) moves.push(move(shows({}, "still"), ghost));
    if (!isDialog) moves.push(move(shows({ activity: "shell" }, "fresh"), ghost));
    else if (vague) moves.push(move(shows({ activity: "shell" }, "fresh"), vague));
  }
  return moves;
}

/** No rules are for it: what is told of its screen is only whether it moves, and its structure. */
function strangerScreens(ghost: TerminalGhost): readonly TerminalMove[] {
  if (ghost.truth === "dialog") {
    const gone: TerminalGhost = { ...ghost, truth: "working" };
    return [
      move(shows(DIALOG, "steady"), ghost),
      move(shows({}, "steady"), gone),
      move(shows({ activity: "shell" }, "fresh"), gone),
    ];
  }
  const asked = isAgent(ghost) ? spend(ghost, "prompts") : null;
  return [
    ...(asked ? [move(shows(DIALOG, "steady"), { ...asked, truth: "dialog" as const })] : []),
    move(shows({}, "steady"), ghost),
    move(shows({}, "still"), ghost),
    move(shows({ activity: "shell" }, "fresh"), ghost),
  ];
}

// Prompts come, are drawn further, change, and are answered at the terminal

function prompts(ghost: TerminalGhost): readonly TerminalMove[] {
  const moves: TerminalMove[] = [];
  if (ghost.truth === "working" && !ghost.isHooked) {
    const asked = spend(ghost, "prompts");
    if (asked) {
      const half: TerminalGhost = { ...asked, truth: "asking", prompt: 1, isHalf: true, isLied: false };
      const whole: TerminalGhost = { ...half, isHalf: false };
      moves.push(
        move(shows(promptReading(half), "fresh"), half),
        move(shows(promptReading(whole), "fresh"), whole),
      );
      const dialog: TerminalGhost = { ...asked, truth: "dialog", isLied: false };
      moves.push(move(shows(DIALOG, "steady"), dialog));
    }
  }
  if (ghost.truth === "asking") {
    if (ghost.isHalf) {
      const whole: TerminalGhost = { ...ghost, isHalf: false };
      moves.push(move(shows(promptReading(whole), "fresh", 50), whole));
    }
    const other = spend(ghost, "prompts");
    if (other && ghost.prompt === 1) {
      const next: TerminalGhost = { ...other, prompt: 2, isHalf: false };
      moves.push(move(shows(promptReading(next), "fresh", 9_000), next));
    }
  }
  if (ghost.truth === "asking" || ghost.truth === "dialog") {
    // Somebody answers it at the terminal.
    const working: TerminalGhost = { ...ghost, truth: "working", prompt: 0, isHalf: false };
    moves.push(move(shows({ activity: "working" }, "fresh"), working));
    const waiting: TerminalGhost = { ...working, truth: "waiting" };
    if (!ghost.isHooked) moves.push(move(shows({ activity: "idle" }, "fresh"), waiting));
  }
  if (ghost.truth === "waiting") {
    const woken = spend(ghost, "turns");
    // It wakes by itself, or somebody types at the terminal.
    if (woken) {
      const working: TerminalGhost = { ...woken, truth: "working", isLied: false };
      moves.push(move(shows({ activity: "working" }, "fresh"), working));
    }
  }
  return moves;
}

// What was typed is taken, or not

function typings(ghost: TerminalGhost): readonly TerminalMove[] {
  const [typed, ...rest] = ghost.typing;
  if (!typed) return [];
  const after = { ...ghost, typing: rest };
  const type = typed.kind === "continuation" ? "message" : typed.kind;
  if (typed.isDone) return [move({ type: "typed", ...AT, typing: type, isTaken: true }, after)];
  const refused = move({ type: "typed", ...AT, typing: type, isTaken: false }, backIn(after, typed));
  const taken = takenBy(after, typed);
  return taken ? [refused, move({ type: "typed", ...AT, typing: type, isTaken: true }, taken)] : [refused];
}

/** What was typed is taken, and much can happen before that is reported; what is answered may be gone by then. */
function crossings(ghost: TerminalGhost): readonly TerminalMove[] {
  const moves: TerminalMove[] = [];
  const [typed, ...rest] = ghost.typing;
  const taken = typed && !typed.isDone ? takenBy(ghost, typed) : null;
  if (typed && taken && typed.kind !== "keys") {
    const unreported = { ...taken, typing: [{ ...typed, isDone: true }, ...rest] };
    moves.push(move({ type: "printed", ...AT }, unreported));
  }
  const answered = ghost.told.askId === null && ghost.typing.length === 0 ? spend(ghost, "answers") : null;
  if (answered) moves.push(move({ type: "answer", askId: "closed", decision: "approve" }, answered));
  return moves;
}

/** Whoever types reports what was not taken: the session has it in its queue. */
function backIn(ghost: TerminalGhost, { isFirst }: Typed): TerminalGhost {
  return isFirst ? { ...ghost, first: "queued" } : ghost;
}

/** Null: it cannot be. */
function takenBy(ghost: TerminalGhost, typed: Typed): TerminalGhost | null {
  switch (typed.kind) {
    case "message":
    case "continuation":
      // Nothing else than an input box that is seen takes one.
      if (ghost.truth !== "waiting") return null;
      return {
        ...ghost,
        truth: "working",
        isLied: false,
        first: typed.isFirst ? "taken" : ghost.first,
      };
    case "choice": {
      // One that was only told is known by what it asks.
      const isIts =
        typed.fingerprint === null ? ghost.prompt === 1 : typed.fingerprint === fingerprintOf(ghost);
      const isShown = ghost.truth === "asking" && isIts;
      return isShown ? { ...ghost, truth: "working", prompt: 0, isHalf: false } : null;
    }
    case "keys":
      return isAgent(ghost)
        ? { ...ghost, truth: "waiting", prompt: 0, isHalf: false, isHooked: false }
        : ghost;
  }
}

// What the session wants

function requests(ghost: TerminalGhost, look: Look, world: World): readonly TerminalMove[] {
  const { told } = ghost;
  const moves: TerminalMove[] = [];
  // Nothing keeps a person from asking for more before the last wish was reported.
  const isFree = ghost.typing.length <= (isSettled(world) ? 1 : 0);
  const sent = isFree ? spend(ghost, "sends") : null;
  const isHeld = ghost.first === "held";
  if (sent && !isHeld && (told.status === "over" || told.isUnknown) && told.askId === null) {
    const isForced = told.isUnknown;
    moves.push(move({ type: "deliver", messageId: "m", force: isForced }, sent));
    if (told.status === "over" && !told.isUnknown) {
      // The session takes it to go on; where nothing is typed, nothing was over.
      moves.push({
        event: { type: "continue" },
        ghost: (step) => {
          const { isStarting, effects } = heardOf(step);
          return enacted(isStarting ? { ...sent, told: { ...told, status: "busy" } } : sent, effects);
        },
      });
    }
  }
  // What only a mistaken driver would ask for.
  moves.push(
    { ...move({ type: "deliver", messageId: "m2" }, ghost), probe: true },
    { ...move({ type: "continue" }, ghost), probe: true },
    { ...move({ type: "interrupt" }, ghost), probe: true },
    { ...move({ type: "answer", askId: "other", decision: "reply" }, ghost), probe: true },
  );
  if (told.askId !== null) {
    const answered = spend(ghost, "answers");
    if (answered) {
      const busy = { ...answered, told: { ...told, askId: null, status: "busy" as const } };
      moves.push(move({ type: "answer", askId: told.askId, decision: "approve" }, busy));
      moves.push(move({ type: "answer", askId: told.askId, decision: "reject" }, busy));
    }
  }
  const stopped = isFree && told.status === "busy" ? spend(ghost, "sends") : null;
  if (stopped && !look.isShell) moves.push(move({ type: "interrupt" }, stopped));
  return moves;
}

// Hooks: never wrong, sometimes late, sometimes missing

const REQUEST = {
  fact: "ask:tool",
  title: "Write",
  detail: "/x/rm x",
  note: "",
  tool: null,
  call: null,
  digest: "g",
} as const;

/** Of an agent that is not in front any more. */
function lateHooks(ghost: TerminalGhost, { isShell }: Look): readonly TerminalMove[] {
  if (!isShell) return [];
  const late: readonly TerminalEvent[] = [
    { type: "hook_started", ...AT },
    { type: "hook_prompt", ...AT },
    { type: "hook_tool_started", ...AT, callId: "c", toolName: "Write", digest: "g" },
    { type: "hook_request", ...AT, request: REQUEST },
    { type: "hook_tool_ended", ...AT, callId: "c", ok: true },
    { type: "hook_idle", ...AT },
    { type: "hook_stopped", ...AT, background: 2 },
    { type: "hook_failed", ...AT },
  ];
  return late.map((event) => ({ ...move(event, ghost), probe: true }));
}

/** It wakes by itself, or its hooks are late: whatever else it may tell or show. */
function unasked(ghost: TerminalGhost): readonly TerminalMove[] {
  if (!isAgent(ghost)) return [];
  const working: TerminalGhost = { ...ghost, truth: "working", prompt: 0, isHalf: false, isHooked: true };
  const asking: TerminalGhost = { ...working, truth: "asking", prompt: 1 };
  const waiting: TerminalGhost = { ...working, truth: "waiting", isHooked: false };
  const moves = [
    move({ type: "hook_started", ...AT, sessionId: "s2" }, ghost),
    move({ type: "hook_prompt", ...AT }, working),
    move({ type: "hook_tool_started", ...AT, callId: "c", toolName: "Write", digest: "g" }, working),
    move({ type: "hook_tool_ended", ...AT, callId: "c", ok: true }, ghost),
    move({ type: "hook_request", ...AT, request: REQUEST }, asking),
    move({ type: "hook_idle", ...AT }, waiting),
    move({ type: "hook_stopped", ...AT }, waiting),
    move({ type: "hook_failed", ...AT }, waiting),
    move(shows(promptReading(asking), "fresh"), asking),
    move(shows(DIALOG, "steady"), { ...asking, truth: "dialog", prompt: 0 }),
  ];
  return moves.map((tried) => ({ ...tried, probe: true }));
}

/** Of the hooks those that begin a turn, ask, and end it: of the others, `unasked` tries what they do. */
function turnHooks(ghost: TerminalGhost, look: Look): readonly TerminalMove[] {
  return hooks(ghost, look).filter(
    ({ event }) =>
      event.type === "hook_prompt" ||
      event.type === "hook_stopped" ||
      (event.type === "hook_request" && ghost.truth === "working"),
  );
}

function hooks(ghost: TerminalGhost, { isShell }: Look): readonly TerminalMove[] {
  const moves: TerminalMove[] = [];
  const told = spend(ghost, "hooks");
  if (!told || !isAgent(ghost) || isShell) return moves;
  const hook = (event: TerminalEvent, after: TerminalGhost = told) => moves.push(move(event, after));
  if (!ghost.told.isReady) hook({ type: "hook_started", ...AT, sessionId: "s" });
  if (ghost.truth === "working") {
    const going = { ...told, isHooked: true };
    hook({ type: "hook_prompt", ...AT }, going);
    hook({ type: "hook_tool_started", ...AT, callId: "c", toolName: "Write", digest: "g" }, going);
    hook({ type: "hook_tool_ended", ...AT, callId: "c", ok: true }, going);
    hook({ type: "hook_request", ...AT, request: REQUEST }, { ...going, truth: "asking", prompt: 1 });
    const over: TerminalGhost = { ...told, truth: "waiting", isHooked: false, isLied: false };
    hook({ type: "hook_stopped", ...AT, background: 1 }, over);
    hook({ type: "hook_failed", ...AT, text: "no" }, over);
    // Esc fires none.
    moves.push(move(shows({ activity: "idle", evidence: ["Interrupted"] }, "fresh"), over));
  }
  if (ghost.truth === "asking") {
    hook({ type: "hook_request", ...AT, request: { ...REQUEST, digest: "h" } }, { ...told, isHooked: true });
    hook(
      { type: "hook_tool_ended", ...AT, callId: "c", ok: false },
      { ...told, truth: "working", prompt: 0, isHalf: false },
    );
    hook(
      { type: "hook_prompt", ...AT },
      { ...told, truth: "working", prompt: 0, isHalf: false, isHooked: true },
    );
  }
  if (ghost.truth === "waiting") {
    hook({ type: "hook_idle", ...AT }, { ...told, isHooked: false });
    hook({ type: "hook_stopped", ...AT }, { ...told, isHooked: false });
    const woken = spend(told, "turns");
    if (woken)
      hook({ type: "hook_prompt", ...AT }, { ...woken, truth: "working", isHooked: true, isLied: false });
  }
  return moves;
}
