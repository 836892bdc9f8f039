/**
 * The world around a turn, as small as it can be and still do what a real one does: a model that calls tools, answers
 * late or fails; a permission resolver that answers twice; tools that report after they were aborted; timeouts that fire
 * when nobody waits any more; a person who does anything at any time.
 *
 * It keeps the truth that the machine can only infer: which stream really talks, what really runs, what was allowed, what
 * the conversation holds and what became of every message. `fault` is the first promise that was broken.
 */
import type { Entry, TurnEffect } from "../../src/core/turn/effects.js";
import type { TurnEvent } from "../../src/core/turn/events.js";
import type { TurnState } from "../../src/core/turn/state.js";
import type { Step } from "../../src/core/step.js";

export type TurnStep = Step<TurnState, TurnEffect>;

/** `said`: in the conversation. `back`: handed back, or the person was told that it was not started. */
export type Fate = "new" | "queued" | "said" | "back";

/** What may still happen; bounded, so that the world is finite. */
export interface Budget {
  /** Calls the model may still make, by id. */
  readonly calls: readonly string[];
  readonly errors: number;
  readonly sessions: number;
  readonly statuses: boolean;
  readonly previews: boolean;
  /** Whether streams that are over still talk, and people ask for what changes nothing. */
  readonly noise: boolean;
}

export interface Ghost {
  readonly budget: Budget;
  /** The stream that still talks, or 0. */
  readonly live: number;
  /** Text that was streamed and is not yet in the conversation. */
  readonly unsaid: string;
  /** How many results each call of this conversation has. */
  readonly results: Readonly<Record<string, number>>;
  /** Tools whose permission is being checked, awaited from the person. */
  readonly checks: readonly string[];
  readonly asks: readonly string[];
  /** Tools that really run, and every tool that ever ran. */
  readonly running: readonly string[];
  readonly ran: readonly string[];
  readonly messages: Readonly<Record<string, Fate>>;
  /** Messages and skills in the order they came. */
  readonly arrived: readonly string[];
  readonly skill: Fate | "none" | "loading";
  readonly inTurn: boolean;
  /** This conversation, and the one the newest stream belongs to. */
  readonly conversation: number;
  readonly streamConversation: number;
  readonly fault: string | null;
}

export const SKILL = "tidy";

export function textOf(messageId: string): string {
  return `text of ${messageId}`;
}

export function newGhost(
  messages: readonly string[],
  budget: Partial<Budget>,
  skill: "new" | "none" = "none",
): Ghost {
  return {
    budget: { calls: [], errors: 0, sessions: 0, statuses: false, previews: false, noise: true, ...budget },
    live: 0,
    unsaid: "",
    results: {},
    checks: [],
    asks: [],
    running: [],
    ran: [],
    messages: Object.fromEntries(messages.map((messageId) => [messageId, "new"])),
    arrived: [],
    skill,
    inTurn: false,
    conversation: 1,
    streamConversation: 1,
    fault: null,
  };
}

/** The world after the machine's answer. */
export function worldAfter(ghost: Ghost, event: TurnEvent, step: TurnStep): Ghost {
  const world = new World(ghost, event);
  world.noteEvent(step.result);
  for (const effect of step.effects) world.perform(effect);
  if (step.state.mode.type === "error") world.ghost = { ...world.ghost, inTurn: false };
  return world.ghost;
}

class World {
  ghost: Ghost;
  /** The tool that this event lets run, if it does. */
  private granted: string | null = null;
  private readonly aborted = new Set<string>();

  constructor(
    before: Ghost,
    private readonly event: TurnEvent,
  ) {
    this.ghost = before;
  }

  private set(patch: Partial<Ghost>): void {
    this.ghost = { ...this.ghost, ...patch };
  }

  private spend(patch: Partial<Budget>): void {
    this.set({ budget: { ...this.ghost.budget, ...patch } });
  }

  private blame(isBroken: boolean, fault: string): void {
    if (isBroken && this.ghost.fault === null) this.set({ fault });
  }

  /** What the event itself changes in the world, whatever the machine makes of it. */
  noteEvent(result: TurnStep["result"]): void {
    const { event, ghost } = this;
    switch (event.type) {
      case "stream_done":
        return this.endLive(event.streamId);
      case "stream_error":
        if (result === "ok") this.spend({ errors: ghost.budget.errors - 1 });
        return this.endLive(event.streamId);
      case "permission_resolved":
        return this.notePermission(event.toolId, event.response);
      case "tool_execution_done":
        return this.set({ running: without(ghost.running, event.toolId) });
      default:
        if (result === "ok") this.noteAccepted();
    }
  }

  private endLive(streamId: number | undefined): void {
    if (streamId === this.ghost.live) this.set({ live: 0 });
  }

  private notePermission(toolId: string, response: string): void {
    if (!this.ghost.checks.includes(toolId)) return;
    this.set({ checks: without(this.ghost.checks, toolId) });
    if (response === "ask") this.set({ asks: [...this.ghost.asks, toolId] });
    if (response === "allowed" || response === "session_granted") this.granted = toolId;
  }

  /** What only changes the world when the machine took it. */
  private noteAccepted(): void {
    const { event, ghost } = this;
    switch (event.type) {
      case "user_submit":
        this.set({ messages: { ...ghost.messages, [event.messageId]: "queued" } });
        return this.set({ arrived: [...ghost.arrived, event.messageId] });
      case "stream_chunk":
        return this.set({ unsaid: ghost.unsaid + event.text });
      case "stream_tool_call":
      case "suggest_command":
        return this.spend({ calls: without(ghost.budget.calls, event.id) });
      case "permission_user_choice":
        this.blame(!ghost.asks.includes(event.toolId), "a choice was taken that nobody asked for");
        if (event.choice !== "deny") this.granted = event.toolId;
        return this.set({ asks: without(ghost.asks, event.toolId) });
      case "cancel":
        return this.set({ inTurn: false });
      case "retry":
        return this.set({ inTurn: true });
      case "new_session":
        this.spend({ sessions: ghost.budget.sessions - 1 });
        return this.set({ conversation: ghost.conversation + 1, results: {} });
      case "request_skill_load":
        return this.set({ skill: "loading" });
      case "skill_loaded":
        return this.set({ skill: "queued", arrived: [...ghost.arrived, SKILL] });
      default:
        return;
    }
  }

  perform(effect: TurnEffect): void {
    const { ghost } = this;
    switch (effect.type) {
      case "start_stream":
        return this.startStream(effect.streamId);
      case "abort_stream":
        this.blame(ghost.live !== effect.streamId, "a stream was aborted that does not talk");
        return this.set({ live: 0 });
      case "check_permission":
        this.blame(ghost.results[effect.toolId] !== 0, "permission was checked for no open call");
        return this.set({ checks: [...ghost.checks, effect.toolId] });
      case "execute_tool":
        return this.execute(effect.toolId);
      case "abort_tool":
        this.aborted.add(effect.toolId);
        return this.blame(!ghost.running.includes(effect.toolId), "a tool was aborted that does not run");
      case "append":
        return this.append(effect.entry);
      case "return_queued":
        return effect.messageIds.forEach((messageId) => this.handBack(messageId));
      case "turn_ended":
        this.blame(!ghost.inTurn, "a turn ended that was not running");
        this.blame(
          this.event.type === "cancel" || this.event.type === "stream_error",
          "no turn ends like this",
        );
        return this.set({ inTurn: false });
      case "write_permission_rule":
      case "cache_session_grant":
        return this.blame(this.granted !== effect.toolId, "a grant was kept that nobody gave");
      case "load_skill":
        return this.blame(this.event.type !== "request_skill_load", "a skill was loaded that nobody wants");
      case "archive_session":
        return this.blame(this.event.type !== "new_session", "the conversation was archived");
      case "persist":
      case "schedule_timeout":
      case "exit_app":
        return;
    }
  }

  private startStream(streamId: number): void {
    const { ghost } = this;
    this.blame(ghost.live !== 0, "two streams at a time");
    this.blame(!ghost.inTurn, "a stream was started outside a turn");
    this.blame(ghost.unsaid !== "", "text was lost");
    this.blame(
      Object.values(ghost.results).some((count) => count !== 1),
      "a stream was started while a call had no result",
    );
    this.set({ live: streamId, streamConversation: ghost.conversation });
  }

  private execute(toolId: string): void {
    const { ghost } = this;
    this.blame(this.granted !== toolId, "a tool ran that nobody allowed");
    this.blame(ghost.ran.includes(toolId), "a tool ran twice");
    this.blame(ghost.results[toolId] !== 0, "a tool ran that has its result already, or no call");
    this.set({ running: [...ghost.running, toolId], ran: [...ghost.ran, toolId] });
  }

  private append(entry: Entry): void {
    const { ghost } = this;
    switch (entry.type) {
      case "user_message":
        this.blame(
          ghost.messages[entry.messageId] !== "queued",
          "a message was appended twice, or never sent",
        );
        this.blame(entry.content !== textOf(entry.messageId), "a message was appended with another text");
        this.set({ messages: { ...ghost.messages, [entry.messageId]: "said" } });
        return this.startTurn(entry.messageId);
      case "skill_invocation":
        this.blame(ghost.skill !== "queued", "a skill was started twice, or never loaded");
        this.set({ skill: "said" });
        return this.startTurn(SKILL);
      case "text":
        return this.say(entry.content);
      case "tool_call":
        this.blame(entry.id in ghost.results, "a call was appended twice");
        return this.set({ results: { ...ghost.results, [entry.id]: 0 } });
      case "tool_result":
        return this.resolve(entry.toolUseId);
      case "out_of_band":
        return entry.command === `/${SKILL}` ? this.tellSkill() : undefined;
      case "system_context":
        return this.blame(this.event.type !== "cancel", "the model was told of a cancel that was none");
    }
  }

  /** Nobody is waited for any more; a process may go on for a while. */
  private resolve(callId: string): void {
    const { ghost } = this;
    const isLeft = ghost.running.includes(callId) && !this.aborted.has(callId);
    this.blame(isLeft, "a tool was resolved and left running");
    this.blame(ghost.results[callId] !== 0, "a result was appended without an open call");
    this.set({
      results: { ...ghost.results, [callId]: 1 },
      checks: without(ghost.checks, callId),
      asks: without(ghost.asks, callId),
    });
  }

  private startTurn(arrival: string): void {
    const { ghost } = this;
    this.blame(ghost.inTurn, "a turn was started inside a turn");
    this.blame(ghost.arrived[0] !== arrival, "one was overtaken by a later one");
    this.set({ inTurn: true, arrived: without(ghost.arrived, arrival) });
  }

  private say(content: string): void {
    const { unsaid } = this.ghost;
    const isCancelled = this.event.type === "cancel";
    this.blame(unsaid === "", "text was appended twice");
    this.blame(isCancelled ? !content.startsWith(`${unsaid}\n\n[`) : content !== unsaid, "text was changed");
    this.set({ unsaid: "" });
  }

  private handBack(messageId: string): void {
    const { ghost } = this;
    this.blame(ghost.messages[messageId] !== "queued", "a message was handed back that was not queued");
    this.set({
      messages: { ...ghost.messages, [messageId]: "back" },
      arrived: without(ghost.arrived, messageId),
    });
  }

  private tellSkill(): void {
    this.blame(this.ghost.skill === "said" || this.ghost.skill === "back", "the skill was reported twice");
    this.set({ skill: "back", arrived: without(this.ghost.arrived, SKILL) });
  }
}

function without<T>(items: readonly T[], item: T): readonly T[] {
  return items.includes(item) ? items.filter((other) => other !== item) : items;
}
