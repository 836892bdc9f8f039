/** What happens in a session, as lines for a terminal. */
import type { EventItem } from "../client/event-item.js";
import { readPayload } from "../core/thread/payloads.js";
import { endWords } from "../protocol/session-words.js";
import type { StateEvent, StatePayload } from "../protocol/state-event.js";
import type { StreamEvent } from "../protocol/stream-event.js";
import type { Paint } from "./paint.js";
import { oneLine, plainText, visibleText } from "./plain-text.js";
import { describeInput } from "./tool-line.js";

/** Calls whose input is still being written, and those whose end is awaited; and as many thoughts. */
const CALLS_MAX = 200;
const ARGS_LENGTH_MAX = 4_096;
/** How much of a message is remembered, to know it again when its whole text comes. */
const TAIL_LENGTH = 256;
const NEW_CALL: Call = { name: null, args: "", told: false };
const NOTHING = { length: 0, tail: "" };

type Payload<T extends StatePayload["type"]> = Extract<StatePayload, { readonly type: T }>;

interface Call {
  readonly name: string | null;
  readonly args: string;
  readonly told: boolean;
}

export interface TranscriptOptions {
  readonly paint: Paint;
  /** People's messages and changes of status too. */
  readonly full: boolean;
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

  constructor(private readonly options: TranscriptOptions) {}

  take(item: EventItem): string {
    if (item.type === "reset")
      return this.line("reset", "the journal lost its end; what follows is read anew");
    return item.channel === "stream" ? this.takeStream(item.event) : this.takeState(item.event);
  }

  /** Ends a line that is still open. */
  end(): string {
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
        return this.takeNote(event.payload["note"]) + this.takeProblem(event.payload["problem"]);
      case "thinking_delta":
        return this.takeThought(event);
      case "artifact_delta":
      case "completed":
      case "status":
      // An ask is told by its state event: only that says whether a person must answer.
      case "ask":
        return "";
    }
  }

  /** What the agent says to the person beside the conversation. */
  private takeNote(note: unknown): string {
    return typeof note === "string" && note !== "" ? `${this.end()}${plainText(note).trimEnd()}\n` : "";
  }

  /** What went wrong on the way, and is not the end: a request that is tried again, a message that was not taken. */
  private takeProblem(problem: unknown): string {
    return typeof problem === "string" && problem !== "" ? this.line("problem", oneLine(problem)) : "";
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
    const { callId, name, argsDelta, replace } = readPayload("tool_call_delta", event.payload);
    if (callId === undefined) return "";
    const call = this.calls.get(callId) ?? NEW_CALL;
    const args = (replace === true ? "" : call.args) + (argsDelta ?? "");
    this.remember(callId, { ...call, name: name ?? call.name, args: args.slice(0, ARGS_LENGTH_MAX) });
    return "";
  }

  private takeResult(event: StreamEvent): string {
    const { callId, name, input, isError, error } = readPayload("tool_call_completed", event.payload);
    if (callId === undefined) return "";
    const call = this.calls.get(callId) ?? NEW_CALL;
    this.calls.delete(callId);
    const tool = name ?? call.name ?? "a tool";
    const begun = call.told ? "" : this.toolLine(tool, input ?? call.args);
    if (isError !== true && (error === undefined || error === null)) return begun;
    return begun + this.line("tool", oneLine(`${tool} failed${error ? `: ${describeInput(error)}` : ""}`));
  }

  private takeState({ payload }: StateEvent): string {
    switch (payload.type) {
      case "tool_lifecycle":
        return payload.status === "running" ? this.takeStart(payload.callId, payload.toolName) : "";
      case "ask_opened":
        return payload.needsHuman ? this.ask(payload) : "";
      case "ask_closed":
        return this.options.full
          ? this.line("ask", oneLine(`${payload.askId} closed: ${payload.reason}`))
          : "";
      case "session_error":
        return this.error(payload.code, payload.message);
      case "state_changed":
        return this.change(payload);
      case "message_status":
        return payload.status === "returned"
          ? this.line("problem", oneLine(`${payload.messageId} was not delivered: its agent ended first`))
          : "";
      case "certainty_changed":
        return this.certainty(payload);
      case "roster_changed":
        return "";
    }
  }

  /** How a turn ended is for everybody, where that is more than done; other changes are for who wants all. */
  private change(payload: Payload<"state_changed">): string {
    const { from, to, reason, ending = null, background = 0 } = payload;
    const end = endWords(ending, background);
    if (!this.options.full) return end === "" ? "" : this.line("end", end);
    if (from === to) return "";
    return this.line("status", oneLine(`${from} → ${to} (${reason})${end === "" ? "" : `: ${end}`}`));
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
    return this.toolLine(name, call.args);
  }

  private remember(callId: string, call: Call): void {
    this.calls.set(callId, call);
    const [oldest] = this.calls.keys();
    if (this.calls.size > CALLS_MAX && oldest !== undefined) this.calls.delete(oldest);
  }

  private toolLine(name: string, input: unknown): string {
    const detail = describeInput(input);
    return this.line("tool", oneLine(detail === "" ? name : `${name}: ${detail}`));
  }

  /** To the last character: somebody decides about it. */
  private ask(ask: Payload<"ask_opened">): string {
    const where =
      ask.atTerminal === true ? this.line("ask", "answered in the terminal: signalbox attach") : "";
    const detail = ask.detail.trim() === "" ? "" : `  ${indented(visibleText(ask.detail))}\n`;
    return (
      this.line("ask", indented(visibleText(`${ask.askId} (${ask.ask}): ${ask.title}`))) + detail + where
    );
  }

  /** The stream and the machine may tell of the same error. */
  private error(code: string, message: string): string {
    if (message === this.lastError && message !== "") return "";
    this.lastError = message;
    return this.line("error", oneLine(`${code}: ${message}`));
  }

  private line(
    kind: "you" | "tool" | "ask" | "problem" | "error" | "status" | "end" | "reset",
    text: string,
  ): string {
    const colours = {
      you: "bold",
      tool: "dim",
      ask: "yellow",
      problem: "yellow",
      error: "red",
      status: "dim",
      end: "yellow",
      reset: "red",
    } as const;
    const before = this.end();
    return `${before}${this.options.paint(colours[kind], `[${kind}]`)} ${text}\n`;
  }

  private write(text: string): string {
    if (text !== "") this.atLineStart = text.endsWith("\n");
    return text;
  }
}

/** Lines after the first stand under it. */
function indented(text: string): string {
  return text.trimEnd().replace(/\n/g, "\n  ");
}
