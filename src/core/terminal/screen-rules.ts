/** What the screen of the program in front means. */
import type { AskWords, Change } from "./change.js";
import type { EventOf, TerminalReading } from "./events.js";
import { rule } from "./rule.js";
import { askIn, isShellRun, turnIn, type OpenAsk, type ShownPrompt } from "./state.js";
import { hasGrown, requestIn, UNREAD, unseenRequest } from "./told-requests.js";

type Seen = EventOf<"screen">;

// It works

export const workBegins = rule<Seen>(
  ["working"],
  "a turn begins; a first prompt goes into the queue",
  (change, event) => {
    change.begin("screen", true);
    change.ready();
    tellWork(change, event);
  },
);

export const workGoesOn = rule<Seen>(["working", "same"], "the turn goes on", (change, event) => {
  change.begin("screen", true);
  tellWork(change, event);
});

export const workAfterPrompt = rule<Seen>(
  ["working", "same"],
  "its prompt is gone; a request whose prompt was not seen yet is given a moment",
  (change, event) => {
    const ask = askIn(change.state);
    if (ask?.fingerprint === null && event.stability === "fresh") return;
    change.known();
    change.closeAsk();
    tellWork(change, event);
  },
);

export const afterglow = rule<Seen>(
  ["same"],
  "hooks are quicker than the screen: what is shown right after the end is of that turn",
  (change) => change.known(),
);

function tellWork(change: Change, { stability, retry }: Seen): void {
  if (stability !== "fresh") change.set({ requests: [] });
  if (retry) change.tell({ type: "retry_scheduled", ...retry });
}

// It asks

export const promptOpens = rule<Seen>(
  ["asking"],
  "an ask; a message that was to be first waits behind it",
  (change, { reading, atMs }) => openShown(change, reading, atMs),
);

export const promptChanges = rule<Seen>(
  ["asking"],
  "the same one, or drawn further, keeps its ask; any other closes it and opens the next",
  (change, { reading, atMs }) => {
    const { activity } = change.state;
    if (activity.type !== "asking") return;
    const { ask } = activity;
    change.known();
    const { prompt } = reading;
    // Seen, and not read, in the middle of being drawn.
    if (prompt === null && ask.fingerprint !== null) return;
    if (prompt !== null && prompt.fingerprint === ask.fingerprint) return;
    const unseen = unseenRequest(ask);
    const request = prompt ? requestIn(prompt, unseen, change.state) : (unseen[0] ?? null);
    const seen = seenOf(reading, atMs);
    if (request !== null && request === ask.request) {
      change.keepAsk({ ...ask, ...seen });
    } else if (request === null && isSamePrompt(ask, reading, atMs)) {
      const kept = { ...ask, ...seen, shown: { ...seen.shown, sinceMs: ask.shown?.sinceMs ?? atMs } };
      if (ask.request) change.keepAsk(kept);
      else change.redescribeAsk(kept, wordsOf(reading));
    } else openShown(change, reading, atMs);
  },
);

export const promptWhileAnswering = rule<Seen>(
  ["asking", "same"],
  "the one that is being answered, or more of it; another one is the next ask",
  (change, { reading, atMs }) => {
    const ask = askIn(change.state);
    const { prompt } = reading;
    if (!ask || prompt === null || ask.fingerprint === null) return;
    if (prompt.fingerprint === ask.fingerprint || isSamePrompt(ask, reading, atMs)) return;
    openShown(change, reading, atMs);
  },
);

/** The prompt of the ask, with more of it drawn or read. */
function isSamePrompt(
  { fingerprint, shown, basis }: OpenAsk,
  { activity, prompt }: TerminalReading,
  atMs: number,
): boolean {
  if (prompt === null || shown === null || basis !== "rule" || shown.kind !== activity) return false;
  return fingerprint === UNREAD || hasGrown(shown, prompt, atMs);
}

function openShown(change: Change, reading: TerminalReading, atMs: number): void {
  const { activity } = change.state;
  const unseen = activity.type === "asking" ? unseenRequest(activity.ask) : [];
  const request = reading.prompt ? requestIn(reading.prompt, unseen, change.state) : (unseen[0] ?? null);
  const requests = [...unseen, ...change.state.requests].filter((waiting) => waiting !== request);
  change.openAsk(request ?? wordsOf(reading), { ...seenOf(reading, atMs), basis: "rule", request });
  change.set({ requests });
}

function seenOf(reading: TerminalReading, atMs: number): { fingerprint: string; shown: ShownPrompt } {
  const { fingerprint, title, detail, choices } = reading.prompt ?? UNREAD_PROMPT;
  const kind = reading.activity === "approval" ? "approval" : "question";
  const labels = choices.map(({ label }) => label);
  return { fingerprint, shown: { kind, title, detail, choices: labels, sinceMs: atMs } };
}

function wordsOf({ activity, evidence, prompt }: TerminalReading): AskWords {
  const { title, detail, choices } = prompt ?? UNREAD_PROMPT;
  const input = { title, detail, choices: choices.map(({ label, meaning }) => ({ label, meaning })) };
  return {
    fact: activity === "question" ? "ask:followup" : "ask:tool",
    title,
    detail: detail === "" ? evidence.join("\n") : detail,
    tool: { name: "screen", input },
  };
}

/** It is seen that something is asked, and not what: it can only be answered at the terminal. */
const UNREAD_PROMPT = { fingerprint: UNREAD, title: "A prompt on the screen", detail: "", choices: [] };

// A dialog that no rule knows

export const dialogOpens = rule<Seen>(
  ["asking"],
  "no rule knows it, but it waits for a person: an ask that is answered at the terminal",
  (change, { reading, atMs }) => openDialog(change, reading, atMs),
);

export const dialogChanges = rule<Seen>(
  ["asking"],
  "the same dialog keeps its ask; so does a request whose own prompt cannot be read",
  (change, { reading, atMs }) => {
    const ask = askIn(change.state);
    if (!ask || unseenRequest(ask).length > 0) return;
    change.known();
    const seen = seenOf(reading, atMs);
    if (seen.fingerprint === ask.fingerprint) return;
    if (ask.basis === "structure" && ask.shown?.title === seen.shown.title) {
      change.redescribeAsk({ ...ask, ...seen }, dialogWords(reading));
    } else openDialog(change, reading, atMs);
  },
);

function openDialog(change: Change, reading: TerminalReading, atMs: number): void {
  const known = { ...seenOf(reading, atMs), basis: "structure", request: null } as const;
  change.openAsk(dialogWords(reading), known);
}

function dialogWords(reading: TerminalReading): AskWords {
  const { title, detail } = reading.prompt ?? UNREAD_PROMPT;
  return shownDialog(title, detail === "" ? reading.evidence.join("\n") : detail);
}

export function shownDialog(title: string, detail: string): AskWords {
  return {
    fact: "ask:followup",
    title,
    detail,
    tool: { name: "screen", input: { title, detail, choices: [] } },
  };
}

// It waits

export const firstWait = rule<Seen>(
  ["starting", "waiting"],
  "ready: it is given its first prompt, or what the session has for it, or it is idle",
  (change, { reading }) => {
    const { activity } = change.state;
    if (activity.type !== "starting") return;
    change.known();
    change.set({ endMark: endMarkIn(reading) });
    change.ready();
    const { first } = activity;
    if (first === null) {
      change.over("completed", "waiting");
      return;
    }
    // What is handed over now is typed with care; if nothing is, the next look finds it idle.
    change.become({ type: "starting", first: null });
    if (first.type !== "prompt") return;
    change.typing("message");
    const { messageId } = first;
    change.act({ type: "type_message", messageId, force: false, addressee: change.addressee });
  },
);

export const idleAgain = rule<Seen>(
  ["waiting"],
  "it waits, and the screen shows it",
  (change, { reading }) => {
    change.known();
    change.set({ endMark: endMarkIn(reading) });
    change.become({ type: "waiting" });
  },
);

export const idleUnbegun = rule<Seen>(
  ["waiting", "same"],
  "it may be about to begin; over if another end than the last one stands there",
  (change, event) => {
    const mark = endMarkIn(event.reading);
    if (mark !== null && mark !== change.state.endMark) endTurn(change, event);
    else change.known();
  },
);

export const idleAfterWork = rule<Seen>(
  ["waiting", "same"],
  "over; where hooks tell the end, only if it was plainly cut off",
  (change, event) => endTurn(change, event),
);

export const idleSteady = rule<Seen>(["waiting"], "over: it shows that for long", (change, event) =>
  endTurn(change, event),
);

export const idleAfterStop = rule<Seen>(
  ["waiting"],
  "what was entered meanwhile was taken into the turn: over",
  (change, { reading }) => {
    change.known();
    change.set({ endMark: endMarkIn(reading) });
    change.over("completed", "waiting");
  },
);

export const idleAfterPrompt = rule<Seen>(
  ["waiting", "same"],
  "the prompt is gone, and the turn with it; a request whose prompt was not seen yet is given a moment",
  (change, event) => {
    if (askIn(change.state)?.fingerprint === null && event.stability === "fresh") return;
    endTurn(change, event);
  },
);

/** The end of a turn is the hooks' to tell. That they did not means that it was cut off, which has to be plain. */
function endTurn(change: Change, { reading, stability }: Seen): void {
  const turn = turnIn(change.state);
  if (!turn) return;
  change.known();
  const isInterrupted = showsInterruption(reading);
  const isPlain = isInterrupted || stability !== "fresh" || turn.isRejected || askIn(change.state) !== null;
  if (turn.by === "hooks" && !isPlain) return;
  // After a no of ours there is nothing left to do; what shows that is often what an interruption looks like.
  const isCutOff = !turn.isRejected && (isInterrupted || turn.by === "hooks");
  change.set({ endMark: endMarkIn(reading) });
  change.over(isCutOff ? "interrupted" : "completed", "waiting");
}

/** `Worked for 2s • 16:55`, `✻ Baked for 3s`, `▣ Build · 2.1s`, `■ …`, `✕ [API Error …`, `✦ …`: what stands below a turn that is over. */
const END_MARK = /\bfor <?\d+[hms]|^■ |^✕ \[|^✦ | · [\d.]+m?s$|\binterrupted\b/i;

function endMarkIn({ evidence }: TerminalReading): string | null {
  return evidence.find((line) => END_MARK.test(line)) ?? null;
}

function showsInterruption({ evidence }: TerminalReading): boolean {
  return evidence.some((line) => /\b(?:interrupted|rejected|cancell?ed|aborted)\b/i.test(line));
}

// Nobody understands it

export const unknownFirst = rule<Seen>(
  ["same", "working"],
  "it is there, and at something that is not known: a first prompt goes into the queue; one that is to go on is ready only when it waits",
  (change, event) => {
    const { activity } = change.state;
    const isAwaited = activity.type === "starting" && activity.first?.type === "handover";
    // Not `creating` any more; in a shell that was told when it came.
    if (!isAwaited && !isShellRun(change.state)) change.begin("screen", true);
    stayUnknown(change, event);
    // Last: nothing is handed over to it for being ready.
    if (!isAwaited) change.ready();
  },
);

export const unknownNow = rule<Seen>(
  ["same"],
  "not known any more; still for long: told once",
  (change, event) => stayUnknown(change, event),
);

export const unknownInTurn = rule<Seen>(
  ["same", "asking"],
  "not known, unless hooks tell that the turn goes on; a request that they told is asked now",
  (change, event) => {
    const [request, ...requests] = change.state.requests;
    if (request) {
      change.set({ requests });
      change.openAsk(request, { fingerprint: null, basis: "rule", request, shown: null });
    } else if (turnIn(change.state)?.by !== "hooks") stayUnknown(change, event);
  },
);

export const unknownWhileAsking = rule<Seen>(
  ["same", "working"],
  "a dialog that only its structure told is gone; any other may still be there; what hooks told is known",
  (change, event) => {
    const ask = askIn(change.state);
    if (!ask || ask.request) return;
    stayUnknown(change, event);
    if (ask.basis === "structure") change.closeAsk();
  },
);

export const shellAfterDialog = rule<Seen>(
  ["same", "working"],
  "a dialog that only its structure told is gone",
  (change) => {
    if (askIn(change.state)?.basis !== "structure") return;
    change.becomeUnknown();
    change.closeAsk();
  },
);

function stayUnknown(change: Change, { stability }: Seen): void {
  change.becomeUnknown();
  if (stability === "still") change.still();
}
