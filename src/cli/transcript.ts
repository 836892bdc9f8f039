/** What happens in a session, as lines for a terminal. */
import type { EventItem } from "../client/event-item.js";
import { noteIn } from "../core/thread/notes.js";
import { readPayload } from "../core/thread/payloads.js";
import type { Principal } from "../protocol/principal.js";
import { byWords } from "../protocol/principal-words.js";
import { endWords } from "../protocol/session-words.js";
import type { StateEvent, StatePayload } from "../protocol/state-event.js";
import type { StreamEvent } from "../protocol/stream-event.js";
import type { Paint } from "./paint.js";
import { oneLine, plainText, visibleText } from "./plain-text.js";
import { askWords } from "../core/words/ask-words.js";
import { exitReason } from "../core/words/exit-reason.js";
import { wordsForFailure } from "../core/words/failure-words.js";
import { STATUS_WORDS } from "../core/words/status-words.js";
import { toolTitle } from "../core/words/tool-words.js";
import { describeInput } from "./tool-line.js";
import { liveOutput, outputLines, outputText, shownOutput, type ScreenSize } from "./tool-output.js";
import { wallLine } from "./wall-line.js";

/** Calls whose input is still being written, and those whose end is awaited; and as many thoughts. */
const CALLS_MAX = 200;
const ARGS_LENGTH_MAX = 4_096;
/** How much is remembered of what a tool prints while it runs. */
const OUTPUT_LENGTH_MAX = 64 * 1_024;
/** Rejections whose call has not ended yet, and asks that wait. */
const ASKS_MAX = 200;
/** How much of a message is remembered, to know it again when its whole text comes. */
const TAIL_LENGTH = 256;
const NEW_CALL: Call = { name: null, args: "", output: "", told: false };
const NOTHING = { length: 0, tail: "" };

type Payload<T extends StatePayload["type"]> = Extract<StatePayload, { readonly type: T }>;

interface Call {
  readonly name: string | null;
  readonly args: string;
  readonly output: string;
  readonly told: boolean;
}

/** How an approval or a question ended, by the request or the fact that ended it. */
const CLOSED: Readonly<Record<string, string>> = {
  approve_action: "approved",
  reject_action: "rejected",
  permission_resolved: "answered by a rule",
  send_message: "answered",
  ask_closed: "withdrawn, or answered elsewhere",
  expired: "nobody answered in time",
  rule: "answered by a rule",
  gone: "nobody waits for it any more",
};

function closedWords(reason: string, by: Principal | undefined): string {
  if (by && (reason === "permission_resolved" || reason === "rule")) return `answered ${byWords(by)}`;
  const how = CLOSED[reason];
  if (how === undefined) return `closed, ${reason}`;
  return by ? `${how} ${byWords(by)}` : how;
}

interface AskState {
  readonly title: string;
  readonly isQuestion: boolean;
  readonly rejectedBy: "person" | "rule" | null;
}

export interface TranscriptOptions {
  readonly paint: Paint;
  /** People's messages and changes of status too. */
  readonly full: boolean;
  /** All that tools printed; otherwise the last lines. */
  readonly wholeOutput?: boolean;
  /** Of the terminal in which output is shown while it comes. Absent: it is shown when the tool is done. */
  readonly liveSize?: () => ScreenSize;
}

/** Takes events in order and gives the text to print for each. Texts of agents come out plain. */
export class Transcript {
  private readonly calls = new Map<string, Call>();
  private readonly thoughts = new Set<string>();
  /** The message that is being written, and what of it is printed. */
  private messageId: string | null = null;
  private printed = NOTHING;
  private atLineStart = true;
  private lastError = "";
  private readonly asks = new Map<string, AskState>();
  private readonly waiting = new Set<string>();
  /** The call whose line, and whose output, is the last that was printed; how many rows of it can be written over. */
  private below: { readonly callId: string; readonly rows: number } | null = null;

  constructor(private readonly options: TranscriptOptions) {}

  take(item: EventItem): string {
    if (item.type === "reset")
      return this.line("reset", "the journal lost its end; what follows is read anew");
    return item.channel === "stream" ? this.takeStream(item.event) : this.takeState(item.event);
  }

  /** Ends a line that is still open. What was printed until now is not written over: something else may follow it. */
  end(): string {
    this.below = null;
    const text = this.atLineStart ? "" : "\n";
    this.atLineStart = true;
    return text;
  }

  private takeStream(event: StreamEvent): string {
    switch (event.type) {
      case "text_delta":
        return this.takeText(event);
      case "tool_call_delta":
        return this.takeCall(event);
      case "tool_call_completed":
        return this.takeResult(event);
      case "user_message":
        return this.options.full
          ? this.line("you", indented(plainText(readPayload("user_message", event.payload).text ?? "")))
          : "";
      case "error": {
        const { code, message } = readPayload("error", event.payload);
        return this.error(code ?? "streaming_failed", message ?? "");
      }
      case "metadata":
        return (
          this.takeNote(event.payload["note"]) +
          this.takeAside("metadata", event.payload) +
          this.takeWall(event.payload["wall"])
        );
      case "thinking_delta":
        return this.takeThought(event);
      case "status":
        return this.takeAside("status", event.payload);
      case "artifact_delta":
      case "completed":
      // An ask is told by its state event: only that says whether a person must answer.
      case "ask":
        return "";
    }
  }

  /** What the agent says to the person beside the conversation. */
  private takeNote(note: unknown): string {
    if (typeof note !== "string" || note === "") return "";
    this.below = null;
    return `${this.end()}${plainText(note).trimEnd()}\n`;
  }

  /**
   * What the page has as notes too: a request that is tried again, a message that was not taken, limits, compaction. What a
   * command at the prompt was refused for is said there; a plan that changes with every step is for a screen.
   */
  private takeAside(type: "status" | "metadata", payload: StreamEvent["payload"]): string {
    if ("note" in payload || "refused" in payload) return "";
    const found = noteIn(type, payload);
    if (found === null || found.kind === "plan") return "";
    const isWrong = found.kind === "problem" || found.kind === "limit";
    return this.line(isWrong ? "problem" : "note", oneLine(found.text));
  }

  /** What stands around a run: of interest to whoever reads back, and not while somebody waits for an answer. */
  private takeWall(wall: unknown): string {
    const line = this.options.full ? wallLine(wall) : null;
    return line === null ? "" : this.line("wall", line);
  }

  /** Piece by piece, in the colour of what is said aside. A thought that comes whole is new, or was printed before. */
  private takeThought(event: StreamEvent): string {
    const { text, replace } = readPayload("thinking_delta", event.payload);
    const thoughtId = `thought ${event.messageId ?? event.streamId}`;
    if (text === undefined || text === "" || (replace === true && this.thoughts.has(thoughtId))) return "";
    this.thoughts.add(thoughtId);
    const [oldest] = this.thoughts;
    if (this.thoughts.size > CALLS_MAX && oldest !== undefined) this.thoughts.delete(oldest);
    const before =
      this.messageId === thoughtId ? "" : `${this.end()}${this.options.paint("dim", "[thinking]")} `;
    this.messageId = thoughtId;
    this.printed = NOTHING;
    return before + this.options.paint("dim", this.write(plainText(text)));
  }

  private takeText(event: StreamEvent): string {
    const { text, replace } = readPayload("text_delta", event.payload);
    if (text === undefined || text === "") return "";
    const messageId = event.messageId ?? event.streamId;
    const goesOn = messageId === this.messageId && (replace !== true || this.isPrinted(text));
    const before = goesOn ? "" : this.end();
    if (!goesOn) this.printed = NOTHING;
    this.messageId = messageId;
    const added = replace === true ? text.slice(this.printed.length) : text;
    const tail = (this.printed.tail + added).slice(-TAIL_LENGTH);
    this.printed = { length: this.printed.length + added.length, tail };
    return before + this.write(plainText(added));
  }

  /** Whether a whole text begins with what is printed, as far as that is remembered. */
  private isPrinted(whole: string): boolean {
    const { length, tail } = this.printed;
    return whole.length >= length && whole.slice(length - tail.length, length) === tail;
  }

  private takeCall(event: StreamEvent): string {
    const { callId, name, argsDelta, outputDelta, replace } = readPayload("tool_call_delta", event.payload);
    if (callId === undefined) return "";
    const call = this.calls.get(callId) ?? NEW_CALL;
    const isWhole = replace === true;
    const args = (isWhole && argsDelta !== undefined ? "" : call.args) + (argsDelta ?? "");
    const output = (isWhole && outputDelta !== undefined ? "" : call.output) + (outputDelta ?? "");
    this.remember(callId, {
      ...call,
      name: name ?? call.name,
      args: args.slice(0, ARGS_LENGTH_MAX),
      output: output.slice(-OUTPUT_LENGTH_MAX),
    });
    return outputDelta === undefined ? "" : this.showLive(callId, output);
  }

  /** In the place of what it printed before; never over anything else. */
  private showLive(callId: string, output: string): string {
    const { liveSize } = this.options;
    if (liveSize === undefined || this.below?.callId !== callId || this.waiting.size > 0) return "";
    const lines = liveOutput(outputLines(output), liveSize());
    const before = this.eraseLive(callId);
    this.below = { callId, rows: lines.length };
    return before + lines.map((line) => `${this.options.paint("dim", line)}\n`).join("");
  }

  private eraseLive(callId: string): string {
    if (this.below?.callId !== callId || this.below.rows === 0) return "";
    return `\u001b[${this.below.rows}A\r\u001b[J`;
  }

  private takeResult(event: StreamEvent): string {
    const payload = readPayload("tool_call_completed", event.payload);
    const { callId, name, input, output, isError, error, canceled } = payload;
    if (callId === undefined) return "";
    const call = this.calls.get(callId) ?? NEW_CALL;
    this.calls.delete(callId);
    const tool = toolTitle(name ?? call.name ?? "");
    const erased = this.eraseLive(callId);
    const isBelow = this.below?.callId === callId;
    if (isBelow) this.below = { callId, rows: 0 };
    const isWrong = isError === true || canceled === true || (error !== undefined && error !== null);
    const lines = outputLines(outputText(output ?? call.output));
    // Under another line it would be taken for the output of another tool.
    const isNamed = call.told && (isBelow || isWrong || lines.length === 0);
    const rejectedBy = isWrong ? this.takeRejection(callId, { ...call, args: input ?? call.args }) : null;
    if (rejectedBy !== null) {
      const verdict = rejectedBy === "rule" ? "rejected by a rule" : "rejected";
      return erased + this.verdictLine(verdict, tool, input ?? call.args);
    }
    const begun = isNamed ? "" : this.toolLine(tool, input ?? call.args);
    if (!isWrong) return erased + begun + this.output(lines);
    const reason = error ? describeInput(error) : "";
    const [only = ""] = lines;
    const isReason = reason === "" && lines.length === 1;
    const why = isReason ? only : reason || exitReason({ error: null, output: lines.join("\n") });
    const verdict = canceled === true ? "canceled" : "failed";
    const told = this.verdictLine(verdict, tool, input ?? call.args, bare(why));
    return erased + begun + told + (isReason ? "" : this.output(lines));
  }

  /** How a call ended, and which it was. */
  private verdictLine(verdict: string, title: string, input: unknown, why = ""): string {
    const does = describeInput(input);
    return this.line(
      "tool",
      oneLine(`${verdict}: ${does === "" ? title : does}${why === "" ? "" : ` (${why})`}`),
    );
  }

  private output(lines: readonly string[]): string {
    return shownOutput(lines, this.options.wholeOutput === true)
      .map((line) => `${this.options.paint("dim", line)}\n`)
      .join("");
  }

  /**
   * Whether this is the call that was rejected. Some agents name their asks after their calls; of others it is the call
   * that does what was asked for.
   */
  private takeRejection(
    callId: string,
    { args, told }: { readonly args: unknown; readonly told: boolean },
  ): AskState["rejectedBy"] {
    const own = this.asks.get(callId);
    this.asks.delete(callId);
    // What a rule has answered may have run, and failed.
    if (own && own.rejectedBy !== null) return own.rejectedBy === "rule" && told ? null : own.rejectedBy;
    const does = describeInput(args).replace(/…$/, "");
    const [askId] =
      [...this.asks].find(
        ([, { rejectedBy, title }]) =>
          rejectedBy === "person" && does !== "" && oneLine(title).includes(does),
      ) ?? [];
    if (askId === undefined) return null;
    this.asks.delete(askId);
    return "person";
  }

  private takeState({ payload }: StateEvent): string {
    switch (payload.type) {
      case "tool_lifecycle":
        return payload.status === "running" ? this.takeStart(payload.callId, payload.toolName) : "";
      case "ask_opened":
        this.rememberAsk(payload.askId, {
          title: payload.title,
          isQuestion: payload.ask === "followup",
          rejectedBy: null,
        });
        if (payload.needsHuman) this.waiting.add(payload.askId);
        return payload.needsHuman ? this.ask(payload) : "";
      case "ask_closed":
        return this.closeAsk(payload);
      case "session_error":
        return this.error(payload.code, payload.message);
      case "state_changed":
        // What fails again is said again.
        if (payload.from === "error") this.lastError = "";
        return this.change(payload);
      case "message_status":
        return payload.status === "returned"
          ? this.line("problem", oneLine(`${payload.messageId} was not delivered: its agent ended first`))
          : "";
      case "certainty_changed":
        return this.certainty(payload);
      case "rest_changed":
        return this.options.full && payload.resting
          ? this.line("status", "its process has ended because it was idle; the next message resumes it")
          : "";
      case "checkpoint":
        return payload.status === "failed"
          ? this.line(
              "problem",
              oneLine(`the files of turn ${payload.turn} were not kept: ${payload.error ?? ""}`),
            )
          : "";
      case "roster_changed":
        return "";
    }
  }

  private closeAsk({ askId, reason, by }: Payload<"ask_closed">): string {
    this.waiting.delete(askId);
    const ask = this.asks.get(askId);
    const rejectedBy =
      reason === "reject_action" ? "person" : reason === "permission_resolved" ? "rule" : null;
    if (ask && rejectedBy !== null) this.rememberAsk(askId, { ...ask, rejectedBy });
    else this.asks.delete(askId);
    if (!this.options.full) return "";
    const how = closedWords(reason, by);
    return this.line(
      ask?.isQuestion === true ? "question" : "approval",
      oneLine(`${how}: ${ask?.title ?? askId}`),
    );
  }

  private rememberAsk(askId: string, ask: AskState): void {
    this.asks.set(askId, ask);
    const [oldest] = this.asks.keys();
    if (this.asks.size > ASKS_MAX && oldest !== undefined) {
      this.asks.delete(oldest);
      this.waiting.delete(oldest);
    }
  }

  /** How a turn ended is for everybody, where that is more than done; other changes are for who wants all. */
  private change(payload: Payload<"state_changed">): string {
    const { from, to, reason, ending = null, background = 0 } = payload;
    const end = endWords(ending, background);
    if (!this.options.full) return end === "" ? "" : this.line("end", end);
    if (from === to) return "";
    return this.line(
      "status",
      oneLine(`${STATUS_WORDS[from]} → ${STATUS_WORDS[to]} (${reason})${end === "" ? "" : `: ${end}`}`),
    );
  }

  private certainty({ certainty, needsAttention, agent }: Payload<"certainty_changed">): string {
    const front = agent === null ? "" : `${agent.name} is in front; `;
    if (certainty === "unknown" && needsAttention)
      return this.line("problem", oneLine(`${front}what the terminal shows is not understood: look at it`));
    if (!this.options.full) return "";
    const words = certainty === "unknown" ? "what it shows is not understood" : "what it shows is understood";
    return this.line("status", oneLine(`${front}${words}`));
  }

  /** When a tool runs, its input is written. */
  private takeStart(callId: string, toolName: string): string {
    const call = this.calls.get(callId) ?? NEW_CALL;
    if (call.told) return "";
    const name = call.name ?? toolName;
    this.remember(callId, { ...call, name, told: true });
    const line = this.toolLine(toolTitle(name), call.args);
    this.below = { callId, rows: 0 };
    return line + this.showLive(callId, call.output);
  }

  private remember(callId: string, call: Call): void {
    this.calls.set(callId, call);
    const [oldest] = this.calls.keys();
    if (this.calls.size > CALLS_MAX && oldest !== undefined) this.calls.delete(oldest);
  }

  private toolLine(title: string, input: unknown): string {
    const detail = describeInput(input);
    return this.line("tool", oneLine(detail === "" || detail === title ? title : `${title}: ${detail}`));
  }

  /** To the last character: somebody decides about it. */
  private ask(ask: Payload<"ask_opened">): string {
    const kind = ask.ask === "followup" ? "question" : "approval";
    const where =
      ask.atTerminal === true ? this.line(kind, "answer it in the terminal: signalbox attach") : "";
    const { heading, rest } = askWords(ask);
    const more = rest.trim() === "" ? "" : `  ${indented(visibleText(rest))}\n`;
    return this.line(kind, indented(visibleText(heading))) + more + where;
  }

  /** The stream and the machine may tell of the same error. */
  private error(code: string, message: string): string {
    if (message === this.lastError && message !== "") return "";
    this.lastError = message;
    const what = wordsForFailure(code)?.what;
    const words = what === undefined ? message : message === "" ? what : `${what}: ${message}`;
    return this.line("error", oneLine(`${words} (${code})`));
  }

  private line(
    kind:
      | "you"
      | "tool"
      | "approval"
      | "question"
      | "problem"
      | "note"
      | "error"
      | "status"
      | "wall"
      | "end"
      | "reset",
    text: string,
  ): string {
    const colours = {
      you: "bold",
      tool: "dim",
      wall: "dim",
      approval: "yellow",
      question: "yellow",
      problem: "yellow",
      note: "dim",
      error: "red",
      status: "dim",
      end: "yellow",
      reset: "red",
    } as const;
    const before = this.end();
    this.below = null;
    return `${before}${this.options.paint(colours[kind], `[${kind}]`)} ${text}\n`;
  }

  private write(text: string): string {
    if (text === "") return "";
    this.below = null;
    this.atLineStart = text.endsWith("\n");
    return text;
  }
}

/** `[exit code 3]`, as the built-in agent says it. */
function bare(reason: string): string {
  return reason.replace(/^\[(.*)\]$/, "$1");
}

/** Lines after the first stand under it. */
function indented(text: string): string {
  return text.trimEnd().replace(/\n/g, "\n  ");
}
