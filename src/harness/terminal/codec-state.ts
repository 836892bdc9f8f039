/** What the codec of a terminal keeps: the machine's state, and the text of the first prompt until it is typed. */
import {
  initialTerminal,
  isSameProgram,
  terminalMachine,
  type Json,
  type Program,
  type TerminalActivity,
  type TerminalState,
} from "../../core/index.js";

export interface CodecState {
  readonly machine: TerminalState;
  /** As long as the machine holds it back. */
  readonly promptText: string | null;
}

export function toJson(state: CodecState): Json {
  return state as unknown as Json;
}

/** Only this codec writes it, or the one of version 0.1, whose agents may have run on while the daemon was replaced. */
export function fromJson(json: Json): CodecState {
  const written = json as unknown as CodecState | Flags01 | null;
  if (written !== null && "machine" in written) return written;
  if (written !== null && "doing" in written) return fromFlags(written);
  throw new Error("not the state of a terminal's codec");
}

/** The state of version 0.1, as far as it is still used. */
interface Flags01 {
  readonly run: number;
  readonly launched: Program;
  readonly front: { readonly pid: number; readonly program: Program } | null;
  readonly seated: string | null;
  readonly isReady: boolean;
  readonly continues: boolean;
  readonly prompt: { readonly messageId: string; readonly text: string } | null;
  readonly ends: number;
  readonly doing: "starting" | "working" | "waiting";
  readonly sawWork: boolean;
  readonly endMark: string | null;
  readonly sawWait: boolean;
  readonly typings: number;
  readonly hasHooks: boolean;
  readonly isHookTurn: boolean;
  readonly queuedPrompts: number;
  readonly sawStop: boolean;
  readonly background: number;
  readonly calls: TerminalState["calls"];
  readonly sessionId: string | null;
  readonly ask: {
    readonly askId: string;
    readonly fingerprint: string | null;
    readonly request?: TerminalState["requests"][number] | null;
    readonly shown?: { readonly title: string; readonly detail: string } | null;
    readonly answer: "approve" | "reject" | "reply" | null;
  } | null;
  readonly requests?: TerminalState["requests"];
  readonly lastFingerprint?: string | null;
  readonly askCount: number;
  readonly wasRejected: boolean;
}

function fromFlags(old: Flags01): CodecState {
  const { run, launched, seated, isReady, ends, endMark, background, calls, sessionId, askCount } = old;
  const isShellRun = launched.type === "shell";
  const machine: TerminalState = {
    ...initialTerminal,
    // In a shell who is in front is found anew, with its start: that is whom messages are for.
    ...{ run, launched, seated, isReady, ends, endMark, background, calls, sessionId, askCount },
    front: isShellRun || !old.front ? null : frontOf(old.front, launched),
    activity: activityOf(old, isShellRun),
    typing: Array.from({ length: Math.min(old.typings, 4) }, () => (old.ask?.answer ? "choice" : "message")),
    requests: old.requests ?? [],
    lastFingerprint: old.lastFingerprint ?? null,
  };
  const isValid = terminalMachine.parseState(machine).ok;
  return {
    machine: isValid ? machine : { ...initialTerminal, run, launched, seated, isReady, ends, askCount },
    promptText: old.prompt?.text ?? null,
  };
}

function frontOf(front: NonNullable<Flags01["front"]>, launched: Program): TerminalState["front"] {
  const { pid, program } = front;
  return { pid, start: "", program, isOwn: isSameProgram(program, launched), isNamed: false };
}

function activityOf(old: Flags01, isShellRun: boolean): TerminalActivity {
  const { ask, doing, isHookTurn, queuedPrompts, wasRejected, prompt, continues } = old;
  const turn = {
    by: isHookTurn ? ("hooks" as const) : ("screen" as const),
    queued: queuedPrompts,
    isRejected: wasRejected,
  };
  if (ask) {
    const { askId, fingerprint, request = null, shown = null, answer } = ask;
    const words = shown && ({ ...shown, kind: "approval", choices: [], sinceMs: 0 } as const);
    const open = { askId, fingerprint, basis: "rule", request, shown: words } as const;
    return answer === null
      ? { type: "asking", turn, ask: open }
      : { type: "answering", turn, ask: open, answer };
  }
  if (isShellRun) return { type: "shell" };
  switch (doing) {
    case "starting": {
      const handover = continues ? ({ type: "handover" } as const) : null;
      return {
        type: "starting",
        first: prompt ? { type: "prompt", messageId: prompt.messageId } : handover,
      };
    }
    case "working":
      return { type: old.sawStop ? "ending" : old.sawWork ? "working" : "given", turn };
    case "waiting":
      return { type: old.hasHooks && !old.sawWait ? "settling" : "waiting" };
  }
}
