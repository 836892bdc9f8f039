/** What is seen of a terminal, and what it means: its foreground, its screen, its shell's marks, and what was typed. */
import { frontProgram, isSameProgram, type ScreenReading } from "../../core/index.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import type { Telling } from "./telling.js";
import { programIn, type AskWords, type OpenAsk } from "./terminal-state.js";
import { requestIn, UNREAD, unseenRequest } from "./told-requests.js";

type Seen<T extends TerminalObservation["type"]> = Extract<TerminalObservation, { readonly type: T }>;

/** Who is in front decides what the screen can mean, and who has the seat: the screen only confirms. */
export function takeForeground(seen: Seen<"foreground">, telling: Telling): void {
  const { front } = telling.state;
  const before = programIn(telling.state);
  const program = frontProgram(seen, telling.state.launched);
  const isSame = front?.pid === seen.pid && isSameProgram(front.program, program);
  if (isSame) return;
  telling.change({ front: { pid: seen.pid, start: seen.start, program } });
  const agent = program.type === "agent" ? program.agent : null;
  // The same agent in another process is another one.
  if (front && front.pid !== seen.pid) telling.seat(null);
  telling.seat(agent);
  const isFirst = front === null && isSameProgram(before, program);
  if (!isFirst) telling.newProgram();
}

export function takeScreen({ reading, isSteady, retry }: Seen<"screen">, telling: Telling): void {
  switch (programIn(telling.state).type) {
    case "agent":
      takeAgentScreen(reading, isSteady, telling);
      if (retry && telling.state.doing === "working")
        telling.fact({ type: "retry_scheduled", ...retry, because: reading.evidence.join("; ") });
      return;
    case "shell":
      // A prompt that no rule knows: the shell itself is in front, so that no command runs, and it prints nothing.
      if (reading.activity === "shell" || (isSteady && reading.activity === "unknown")) takePrompt(telling);
      return;
    case "other":
      // Nothing is known of what it shows. It runs, and that is all that is said of it.
      return;
  }
}

function takeAgentScreen(reading: ScreenReading, isSteady: boolean, telling: Telling): void {
  const { ask, doing, hasHooks, sawWait, continues } = telling.state;
  switch (reading.activity) {
    case "working":
      // A request that hooks have told is shown a moment later.
      if (ask?.fingerprint != null || isSteady) telling.closeAsk();
      if (isSteady) telling.change({ requests: [] });
      // Hooks are quicker than the screen: what is shown right after the end of a turn is of that turn.
      if (hasHooks && doing === "waiting" && !sawWait && !isSteady) return;
      telling.begin(true);
      telling.ready();
      return;
    case "approval":
    case "question":
      takeShownPrompt(reading, telling);
      return;
    case "idle":
      takeIdle(reading, isSteady, telling);
      return;
    case "shell":
      // The prompt sign of an agent is not a shell's; who is in front decides.
      return;
    case "unknown":
      // It is there, and shows something that no rule knows.
      if (isSteady && !continues) telling.ready();
      if (isSteady && !ask) askNext(telling);
      return;
  }
}

function takeIdle(reading: ScreenReading, isSteady: boolean, telling: Telling): void {
  const { ask, doing, typings, isHookTurn, sawStop, wasRejected, endMark: lastMark } = telling.state;
  if (typings > 0) return;
  const mark = endMarkIn(reading);
  // A turn can be over before its work was seen: another end than the last one stands there.
  const sawWork = telling.state.sawWork || (mark !== null && mark !== lastMark);
  telling.change({ sawWait: true });
  if (doing !== "working") telling.change({ endMark: mark });
  if (doing === "starting") {
    telling.firstWait();
    return;
  }
  // Given something, and not seen to have begun: it may be about to.
  if (doing === "waiting" || (!sawWork && !isSteady)) return;
  // A request that hooks have told is shown a moment later.
  if (ask?.fingerprint === null && !isSteady) return;
  const isInterrupted = showsInterruption(reading);
  // The end of a turn is the hooks' to tell. That they did not means that it was cut off, which has to be plain.
  const isPlain = isInterrupted || isSteady || wasRejected || sawStop || ask !== null;
  if (isHookTurn && !isPlain) return;
  // After a no of ours there is nothing left to do; what shows that is often what an interruption looks like.
  const isCutOff = !wasRejected && (isInterrupted || (isHookTurn && !sawStop));
  telling.change({ endMark: mark });
  telling.over(isCutOff ? "interrupted" : "completed");
}

/** `Worked for 2s • 16:55`, `✻ Baked for 3s`, `▣ Build · 2.1s`, `■ …`: what agents put below a turn that is over. */
const END_MARK = /\bfor <?\d+[hms]|^■ | · [\d.]+m?s$|\binterrupted\b/i;

function endMarkIn({ evidence }: ScreenReading): string | null {
  return evidence.find((line) => END_MARK.test(line)) ?? null;
}

function showsInterruption({ evidence }: ScreenReading): boolean {
  return evidence.some((line) => /\b(?:interrupted|rejected|cancell?ed|aborted)\b/i.test(line));
}

/** A request that waits, while the screen shows nothing that speaks against it. */
function askNext(telling: Telling): void {
  const [request, ...requests] = telling.state.requests;
  if (!request) return;
  telling.change({ requests });
  telling.openAsk(request, { fingerprint: null, request, shown: null });
}

function takeShownPrompt(reading: ScreenReading, telling: Telling): void {
  const { ask, typings } = telling.state;
  const { fingerprint, title, detail } = reading.prompt ?? UNREAD_PROMPT;
  const isKnown = ask !== null && (ask.answer === null || typings > 0);
  if (isKnown && ask.fingerprint === fingerprint) return;
  // Answered before it was seen: whoever types looks for it.
  if (isKnown && ask.answer !== null && ask.fingerprint === null) {
    telling.change({ sawWork: true });
    return;
  }
  const unseen = unseenRequest(telling.state);
  const request = reading.prompt ? requestIn(reading.prompt, telling.state) : (unseen[0] ?? null);
  if (ask && request !== null && request === ask.request) {
    telling.change({ ask: { ...ask, fingerprint }, sawWork: true });
    return;
  }
  const requests = [...unseen, ...telling.state.requests].filter((waiting) => waiting !== request);
  if (request) telling.openAsk(request, { fingerprint, request, shown: null });
  else telling.openAsk(wordsOf(reading), { fingerprint, request, shown: { title, detail } });
  telling.change({ requests });
}

function wordsOf({ activity, evidence, prompt }: ScreenReading): AskWords {
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

/** The shell waits at its prompt. */
export function takePrompt(telling: Telling): void {
  if (telling.state.typings > 0) return;
  if (telling.state.doing === "starting") telling.firstWait();
  else telling.over("completed");
}

export function takeMark({ mark }: Seen<"mark">, telling: Telling): void {
  // Any program can print them; only a shell means them.
  if (programIn(telling.state).type !== "shell") return;
  switch (mark) {
    case "prompt":
    case "input":
      takePrompt(telling);
      return;
    case "running":
      telling.begin(true);
      return;
    case "finished":
      return;
  }
}

export function takeTyped({ typing, isTaken }: Seen<"typed">, telling: Telling): void {
  const { typings, isContinuing, ask } = telling.state;
  telling.change({ typings: Math.max(0, typings - 1), isContinuing: false });
  switch (typing) {
    case "message":
      if (isTaken) telling.begin(programIn(telling.state).type !== "agent");
      // Nobody else tells that it does not go on after all.
      else if (isContinuing) telling.over("completed");
      return;
    case "choice":
      // Should the prompt still be there, it is asked anew.
      if (ask !== null && ask.answer !== null) forgetAnswered(ask, isTaken, telling);
      if (!isTaken) telling.change({ wasRejected: false });
      return;
    case "keys":
      return;
  }
}

/** What could not be answered unseen is asked again when its prompt is seen. */
function forgetAnswered(ask: OpenAsk, isTaken: boolean, telling: Telling): void {
  telling.forgetAsk(ask);
  const { fingerprint, request } = ask;
  if (isTaken || fingerprint !== null || request === null) return;
  telling.change({ requests: [request, ...telling.state.requests] });
}
