/**
 * Drives the `turn` machine: takes what happens strictly in order, writes the conversation down before anything of it is
 * shown, does what the machine wants done, and tells the daemon.
 */
import {
  initialTurn,
  transitionTurn,
  type Entry,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
} from "../core/index.js";
import type { AgentCommand, FromAgent, ToAgent } from "../protocol/agent-wire.js";
import { contextWindow } from "./conversation/context-window.js";
import type { Conversation } from "./conversation/conversation.js";
import type { AfterTool, DoneCall } from "./hooks/post-tool-hooks.js";
import { streamAnswer } from "./model-stream.js";
import type { Model, ModelError, ToolDescription } from "./models/model.js";
import { PERMISSION_CHOICES } from "./permission-choices.js";
import { SkillLoads } from "./skills/skill-loads.js";
import { suggestionLine } from "./suggestion-line.js";
import { Questions } from "./questions.js";
import { ToolCalls } from "./tool-calls.js";
import { turnConfig } from "./turn-config.js";
import { refusalOf, requestFor } from "./turn-commands.js";
import { FileMemory } from "./tools/file-memory.js";
import type { Tool } from "./tools/tool.js";

export interface TurnDriverOptions {
  readonly cwd: string;
  readonly system: () => string;
  readonly model: () => Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly toolDescriptions: readonly ToolDescription[];
  readonly conversation: Conversation;
  /** Begins a conversation of its own when the old one is archived. */
  readonly renew: () => Conversation;
  readonly loadSkill: (name: string, args: string | undefined, signal: AbortSignal) => Promise<string>;
  readonly afterTool: (call: DoneCall) => Promise<AfterTool>;
  readonly write: (line: FromAgent) => void;
  /** Something of ours is broken: nothing can be trusted any more. */
  readonly onBroken: (error: unknown) => void;
}

type EffectOf<T extends TurnEffect["type"]> = Extract<TurnEffect, { readonly type: T }>;

export class TurnDriver {
  private state: TurnState;
  private conversation: Conversation;
  private readonly calls: ToolCalls;
  private readonly questions: Questions;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly events: TurnEvent[] = [];
  private stream: AbortController | null = null;
  /** What the model has read in this conversation. */
  private readonly files = new FileMemory();
  private readonly skills: SkillLoads;
  /** A message of the model: a new one begins after each tool call. */
  private messageCount = 0;
  private lastError: ModelError | null = null;
  private isBoundary = false;
  private isStopping = false;
  /** Asks that are open, by the call that they are about. */
  private readonly asked = new Set<string>();
  private readonly diffs = new Map<string, string>();
  /** What the model must know beside a call's result: why a person rejected it, or what it had shown when its time was over. */
  private readonly remarks = new Map<string, string>();

  constructor(private readonly options: TurnDriverOptions) {
    const { tools, cwd, conversation, afterTool } = options;
    this.state = { ...initialTurn, sessionId: conversation.sessionId, config: turnConfig(tools) };
    this.conversation = conversation;
    this.calls = new ToolCalls(
      tools,
      cwd,
      this.files,
      (event) => this.dispatch(event),
      afterTool,
      (reason, done) => this.stopTurn(reason, done),
      (question, detail, signal) => this.questions.ask(question, detail, signal),
    );
    this.questions = new Questions(options.write);
    this.skills = new SkillLoads(options.loadSkill, (event) => this.dispatch(event));
  }

  /** What the daemon says. */
  hear(line: ToAgent): void {
    switch (line.type) {
      case "prompt":
        this.dispatch({ type: "user_submit", messageId: line.messageId, text: line.text });
        return;
      case "answer":
        if (!this.questions.answer(line.askId, line.text)) this.answered(line);
        return;
      case "void":
        for (const askId of line.askIds) {
          this.asked.delete(askId);
          this.questions.answer(askId, null);
        }
        return;
      case "interrupt":
        this.interrupt();
        return;
      case "continue":
        this.goOn();
        return;
      case "command":
        this.command(line.command);
    }
  }

  get sessionId(): string {
    return this.conversation.sessionId;
  }

  /** A turn goes on, and waits for nobody. */
  get isBusy(): boolean {
    return this.state.mode.type === "turn" && this.asked.size === 0 && !this.questions.isAsking;
  }

  get isResting(): boolean {
    return this.state.mode.type !== "turn";
  }

  /** For the person, not for the model. */
  say(command: string, content: string): void {
    this.dispatch({ type: "slash_command", command, content });
  }

  /** Ends what is running; the conversation stays as it is. */
  close(): void {
    this.stream?.abort();
    this.calls.abortAll();
    this.skills.abort();
    for (const timer of this.timers) clearTimeout(timer);
    this.conversation.close();
  }

  /** One event after the other: what an effect reports at once waits for the effects of its own step. */
  private dispatch(event: TurnEvent): void {
    this.events.push(event);
    if (this.events.length > 1) return;
    for (let next = this.events[0]; next; next = this.events[0]) {
      try {
        this.step(next);
      } catch (error) {
        // A full disk, say: nothing that follows could be written down, so nothing may be shown.
        this.options.onBroken(error);
        return;
      }
      this.events.shift();
    }
  }

  private step(event: TurnEvent): void {
    const before = this.state;
    const step = transitionTurn(before, event);
    if (step.result !== "ok") {
      const refusal = step.result === "rejected" ? refusalOf(event) : null;
      if (refusal) this.options.write(refusal);
      return;
    }
    this.announce(event);
    this.state = step.state;
    for (const effect of step.effects) this.perform(effect);
    if (before.mode.type !== "error" && step.state.mode.type === "error") this.fail(step.state.mode.message);
  }

  /** What a person sees of an event that the machine took. */
  private announce(event: TurnEvent): void {
    if (event.type === "stream_chunk") {
      this.conversation.aboutToShow(event.text);
      this.options.write({ type: "text", messageId: this.messageId(), text: event.text });
    }
    if (event.type === "stream_tool_call") this.messageCount += 1;
    if (event.type === "tool_preview_update")
      this.options.write({ type: "tool_preview", callId: event.toolId, lines: [...event.lines] });
    if (event.type === "tool_execution_done" && typeof event.preview?.["diff"] === "string")
      this.diffs.set(event.toolId, event.preview["diff"]);
  }

  private perform(effect: TurnEffect): void {
    switch (effect.type) {
      case "start_stream":
        this.startStream(effect);
        return;
      case "abort_stream":
        this.stream?.abort();
        return;
      case "check_permission":
        this.ask(effect);
        return;
      case "execute_tool":
        this.options.write({ type: "tool_started", callId: effect.toolId, name: effect.name });
        this.calls.execute(effect.toolId, effect.name, effect.input);
        return;
      case "abort_tool":
        this.calls.abort(effect.toolId);
        return;
      case "append":
        this.append(effect);
        return;
      case "persist":
        this.conversation.persist();
        return;
      case "write_permission_rule":
      case "cache_session_grant":
        // The daemon keeps what a person granted: it saw the answer before we did.
        return;
      case "archive_session":
        this.conversation.archive(Date.now());
        this.isBoundary = true;
        this.conversation = this.options.renew();
        this.files.forget();
        return;
      case "schedule_timeout":
        this.schedule(effect);
        return;
      case "load_skill":
        void this.loadSkill(effect);
        return;
      case "return_queued":
        // The daemon hands over one message at a time, and only when we are idle.
        return;
      case "turn_ended":
        this.options.write({ type: "done" });
        return;
      case "exit_app":
        this.options.write({ type: "exit", action: effect.action });
    }
  }

  private startStream({ streamId }: EffectOf<"start_stream">): void {
    if (this.isStopping) return;
    const { model, system, toolDescriptions: tools, write } = this.options;
    this.messageCount += 1;
    this.stream = new AbortController();
    const { signal } = this.stream;
    write({ type: "request" });
    const { entries, callMetadata } = this.conversation;
    const messages = contextWindow(entries, callMetadata);
    streamAnswer(model(), { system: system(), messages, tools, signal }, streamId, {
      tell: (fact) => this.dispatch(fact),
      thinking: (text) => write({ type: "thinking", messageId: this.messageId(), text }),
      usage: (usage) => write({ type: "usage", ...usage }),
      note: (text) => write({ type: "note", text }),
      retry: (attempt, delayMs, message) => write({ type: "retry", attempt, delayMs, message }),
      failed: (error) => {
        this.lastError = error;
      },
      metadata: (callId, metadata) => this.conversation.keepCallMetadata(callId, metadata),
      isUsed: (callId) => this.conversation.hasCall(callId),
      flawOf: ({ name, input }) => this.calls.flawOf(name, input),
    }).catch(this.options.onBroken);
  }

  /** Every call is asked for; a rule may answer before a person sees it. */
  private ask({ toolId, name, input }: EffectOf<"check_permission">): void {
    if (!this.calls.needsPermission(name)) {
      this.dispatch({ type: "permission_resolved", toolId, response: "allowed" });
      return;
    }
    this.asked.add(toolId);
    this.calls
      .describe(name, input)
      .then(({ ask, title, detail }) => {
        // It may have been cancelled meanwhile.
        if (this.asked.has(toolId) && ask !== "none")
          this.options.write({ type: "ask", askId: toolId, ask, title, detail, name, input });
      })
      .catch(this.options.onBroken);
  }

  private answered({
    askId: toolId,
    decision,
    by,
    scope = "once",
    text,
  }: Extract<ToAgent, { type: "answer" }>): void {
    if (!this.asked.delete(toolId)) return;
    const isAllowed = decision === "approve";
    if (by !== "user") {
      this.dispatch({ type: "permission_resolved", toolId, response: isAllowed ? "allowed" : "denied" });
      return;
    }
    if (!isAllowed && text) this.remarks.set(toolId, `The user says: ${text}`);
    this.dispatch({ type: "permission_resolved", toolId, response: "ask" });
    this.dispatch({
      type: "permission_user_choice",
      toolId,
      choice: isAllowed ? PERMISSION_CHOICES[scope] : "deny",
    });
  }

  private interrupt(): void {
    this.skills.abort();
    if (this.state.mode.type !== "turn") return;
    this.closeAsks();
    this.dispatch({ type: "cancel" });
    this.options.write({ type: "interrupted" });
  }

  /** A hook says that it must not go on: the tool's result is kept, and the model is not asked what to make of it. */
  private stopTurn(reason: string, done: TurnEvent): void {
    this.isStopping = true;
    this.dispatch(done);
    this.isStopping = false;
    if (this.state.mode.type !== "turn") return;
    this.closeAsks();
    this.dispatch({ type: "cancel" });
    this.options.write({ type: "failed", code: "api_req_failed", message: reason });
  }

  /** Where the last turn failed it is tried again; a process that was started anew asks the model to go on. */
  private goOn(): void {
    if (this.state.mode.type === "error") this.dispatch({ type: "retry" });
    else
      this.dispatch({ type: "user_submit", messageId: `continue-${this.state.streamId}`, text: "Continue." });
  }

  command(command: AgentCommand): void {
    this.dispatch(requestFor(command));
  }

  private append({ entry }: EffectOf<"append">): void {
    const { write } = this.options;
    const kept = entry.type === "tool_result" ? this.withRemark(entry) : entry;
    this.conversation.append(kept);
    if (kept.type === "tool_call") {
      const { id: callId, name, input } = kept;
      const suggestion = name === "suggest_command" ? suggestionLine(input) : null;
      write(suggestion ?? { type: "tool_call", callId, name, input });
    }
    const tool =
      kept.type === "tool_result" ? this.state.tools.find(({ id }) => id === kept.toolUseId) : undefined;
    if (kept.type === "tool_result" && tool) {
      const { toolUseId: callId, content, isError } = kept;
      const diff = this.diffs.get(callId);
      this.diffs.delete(callId);
      this.closeAsk(callId);
      const rejected = tool.state === "denied" ? { rejected: true } : {};
      const shown = { ...rejected, ...(diff === undefined ? {} : { diff }) };
      write({ type: "tool_result", callId, content, isError, ...shown });
    }
    if (kept.type === "out_of_band") this.tellPerson(kept.content);
  }

  /** The first that is told after the conversation was archived says so. */
  private tellPerson(text: string): void {
    const boundary = this.isBoundary ? ({ boundary: true } as const) : {};
    this.isBoundary = false;
    this.options.write({ type: "note", text, ...boundary });
  }

  private withRemark(entry: Extract<Entry, { readonly type: "tool_result" }>): typeof entry {
    const remark = this.remarks.get(entry.toolUseId);
    this.remarks.delete(entry.toolUseId);
    return remark === undefined ? entry : { ...entry, content: `${entry.content}\n${remark}` };
  }

  private timedOut(timeoutId: number, toolId: string): void {
    // Its time is over, not that of its hooks.
    if (this.calls.isInHooks(toolId)) return;
    const lines = this.state.tools.find(({ id }) => id === toolId)?.preview?.["lines"];
    if (Array.isArray(lines) && lines.length > 0)
      this.remarks.set(toolId, `What it showed last:\n${lines.join("\n")}`);
    this.dispatch({ type: "tool_execution_timeout", timeoutId, toolId });
    this.remarks.delete(toolId);
  }

  private schedule(effect: EffectOf<"schedule_timeout">): void {
    const { mode } = this.state;
    if (effect.kind === "confirmation" && mode.type === "idle" && mode.confirmation)
      this.options.write({ type: "confirm", command: mode.confirmation.command, withinMs: effect.delayMs });
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const { timeoutId } = effect;
      if (effect.kind === "confirmation") this.dispatch({ type: "confirmation_timeout", timeoutId });
      else this.timedOut(timeoutId, effect.toolId);
    }, effect.delayMs);
    this.timers.add(timer);
  }

  private async loadSkill(effect: EffectOf<"load_skill">): Promise<void> {
    const isLoaded = await this.skills.start(effect);
    // Who asked for it by a message waits for the end of a turn.
    if (!isLoaded && this.state.mode.type === "idle") this.options.write({ type: "done" });
  }

  private fail(message: string): void {
    const code = this.lastError?.code ?? "api_req_failed";
    this.lastError = null;
    this.closeAsks();
    this.options.write({ type: "failed", code, message });
  }

  private closeAsks(): void {
    for (const askId of [...this.asked]) this.closeAsk(askId);
  }

  private closeAsk(askId: string): void {
    if (this.asked.delete(askId)) this.options.write({ type: "ask_closed", askId });
  }

  private messageId(): string {
    return `${this.conversation.sessionId}-${this.messageCount}`;
  }
}
