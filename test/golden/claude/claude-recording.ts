/**
 * A recording of Claude Code as moves: what it wrote, and what it was told. Messages, the handshake and interrupts were
 * given the names that the codec gives them in run 1, where messages are called m1, m2 and so on.
 */
import type { RunStart } from "../../../src/runtime/harness.js";
import type { QueryAnswer } from "../../../src/runtime/query.js";
import { INITIALIZE_ID, responseLine } from "../../../src/harness/claude/told-line.js";
import { objectAt, objectsAt, parseObject, textAt, type JsonObject } from "../../../src/harness/kit/json.js";
import type { Move } from "../play.js";

const RUN = 1;

export interface ClaudeRecording {
  readonly start: RunStart;
  readonly moves: readonly Move[];
}

export function claudeRecording(text: string): ClaudeRecording {
  const reader = new RecordingReader();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const entry = parseObject(line) ?? {};
    const message = objectAt(entry, "msg");
    if (message && entry["dir"] === "out") reader.heard(message);
    if (message && entry["dir"] === "in") reader.told(message);
  }
  return reader.recording();
}

class RecordingReader {
  private readonly moves: Move[] = [];
  private readonly requests = new Map<string, JsonObject>();
  private prompt: string | null = null;
  private messageCount = 0;
  private wasInitialized = false;

  recording(): ClaudeRecording {
    const settings = {
      harness: "claude",
      title: "",
      cwd: "/proj",
      model: null,
      args: [],
      env: {},
    } as const;
    const prompt = this.prompt === null ? null : { messageId: "m1", text: this.prompt };
    // Some were made without the handshake; ours always begins with it.
    const ready: readonly Move[] = this.wasInitialized
      ? []
      : [{ type: "line", line: responseLine(INITIALIZE_ID, {}) }];
    return {
      start: { run: RUN, settings, resume: null, prompt, continues: false },
      moves: [...ready, ...this.moves],
    };
  }

  heard(message: JsonObject): void {
    const requestId = textAt(message, "request_id");
    const request = objectAt(message, "request");
    if (requestId !== null && request) this.requests.set(requestId, request);
    this.moves.push({ type: "line", line: JSON.stringify(message) });
  }

  told(message: JsonObject): void {
    const type = textAt(message, "type");
    if (type === "user") this.toldMessage(message);
    if (type === "control_request") this.toldRequest(message);
    if (type === "control_response") this.toldAnswer(objectAt(message, "response") ?? {});
  }

  private toldMessage(message: JsonObject): void {
    const [part] = objectsAt(objectAt(message, "message") ?? {}, "content");
    const text = textAt(part ?? {}, "text") ?? "";
    this.messageCount += 1;
    const messageId = `m${this.messageCount}`;
    if (this.moves.length === 0 && this.prompt === null) this.prompt = text;
    else this.moves.push({ type: "effect", effect: { type: "deliver_message", run: RUN, messageId }, text });
  }

  private toldRequest(message: JsonObject): void {
    const subtype = textAt(objectAt(message, "request") ?? {}, "subtype");
    if (subtype === "initialize") this.wasInitialized = true;
    if (subtype === "interrupt")
      this.moves.push({ type: "effect", effect: { type: "interrupt_run", run: RUN } });
  }

  private toldAnswer(response: JsonObject): void {
    const requestId = textAt(response, "request_id") ?? "";
    const answer = objectAt(response, "response") ?? {};
    const subtype = textAt(this.requests.get(requestId) ?? {}, "subtype");
    if (subtype === "hook_callback") {
      this.moves.push({ type: "answer", queryId: requestId, answer: verdictIn(answer) });
      return;
    }
    const [decision, text] = subtype === "elicitation" ? elicitationIn(answer) : permissionIn(answer);
    this.moves.push({
      type: "effect",
      effect: { type: "answer_ask", run: RUN, askId: requestId, decision, by: "user" },
      ...(text === null ? {} : { text }),
    });
  }
}

function verdictIn(answer: JsonObject): QueryAnswer {
  const output = objectAt(answer, "hookSpecificOutput") ?? {};
  const decided = textAt(output, "permissionDecision");
  if (decided !== "deny" && decided !== "ask")
    return { type: "decided", decision: { verdict: "none", rule: null, file: null, because: "" } };
  const because = textAt(output, "permissionDecisionReason") ?? "";
  return { type: "decided", decision: { verdict: decided, rule: "Read(*)", file: null, because } };
}

type Answer = readonly ["approve" | "reject" | "reply", string | null];

function permissionIn(answer: JsonObject): Answer {
  const input = objectAt(answer, "updatedInput") ?? {};
  const answers = objectAt(input, "answers");
  if (answers)
    return [
      "reply",
      Object.values(answers)
        .filter((one) => typeof one === "string")
        .join("\n"),
    ];
  return textAt(answer, "behavior") === "allow" ? ["approve", null] : ["reject", textAt(answer, "message")];
}

function elicitationIn(answer: JsonObject): Answer {
  const content = objectAt(answer, "content");
  return ["reply", content ? JSON.stringify(content) : (textAt(answer, "action") ?? "cancel")];
}
