import { expect, test } from "vitest";
import { initialSession, transitionSession, type Json, type SessionEvent } from "../../core/index.js";
import type { RunStart } from "../../runtime/harness.js";
import { decodeTerminal, encodeTerminal, startTerminal } from "./terminal-codec.js";

const START: RunStart = {
  run: 1,
  settings: { harness: "terminal", title: "", cwd: "/", model: null, args: [], env: {} },
  resume: null,
  prompt: null,
  continues: false,
};

function facts(...all: readonly SessionEvent[]): readonly object[] {
  return all.map((fact) => ({ type: "fact", fact, source: "process" }));
}

test("the first output shows that it is there, and that it waits", () => {
  const { state, input } = startTerminal(START);
  expect(input).toBe("");
  const first = decodeTerminal(state);
  expect(first).toEqual({
    state: { run: 1, turn: 0, ready: true, continues: false, awaits: "nothing" },
    outputs: facts({ type: "session_created" }, { type: "ask:completion_result", askId: "run-1-turn-0:end" }),
  });
  expect(decodeTerminal(first.state)).toEqual({ state: first.state, outputs: [] });
});

test("a prompt is typed, and the first output answers it too", () => {
  const started = startTerminal({ ...START, prompt: { messageId: "m", text: "make" } });
  expect(started.input).toBe("make\r");
  expect(decodeTerminal(started.state).outputs).toEqual(
    facts(
      { type: "session_created" },
      { type: "api_req_started" },
      { type: "ask:completion_result", askId: "run-1-turn-1:end" },
    ),
  );
});

test("one that is to go on is ready, and not idle", () => {
  const { state } = startTerminal({ ...START, continues: true });
  expect(decodeTerminal(state).outputs).toEqual(facts({ type: "session_created" }));
});

test("an ask cannot be answered", () => {
  const { state } = startTerminal(START);
  const effect = { type: "answer_ask", run: 1, askId: "a", decision: "approve", by: "user" } as const;
  expect(encodeTerminal(state, effect, null)).toEqual({
    state,
    writes: [],
    failure: "no ask is read from a terminal yet",
  });
});

/** A session with its codec, and what was typed for it. */
class Played {
  state = initialSession;
  typed: string[] = [];
  private codec: Json = null;

  tell(event: SessionEvent): string {
    const step = transitionSession(this.state, event);
    this.state = step.state;
    for (const effect of step.effects) {
      switch (effect.type) {
        case "spawn_harness": {
          const prompt =
            effect.messageId === undefined ? null : { messageId: effect.messageId, text: effect.messageId };
          const continues = this.state.onReady !== null;
          const started = startTerminal({ ...START, run: effect.run, prompt, continues });
          this.codec = started.state;
          this.type(started.input);
          break;
        }
        case "deliver_message":
        case "continue_run":
        case "interrupt_run": {
          const words = encodeTerminal(this.codec, effect, "messageId" in effect ? effect.messageId : null);
          this.codec = words.state;
          for (const text of words.writes) this.type(text);
          break;
        }
        default:
      }
    }
    return this.state.status;
  }

  /** The program prints something. */
  print(): string {
    const { state, outputs } = decodeTerminal(this.codec);
    this.codec = state;
    for (const output of outputs) if (output.type === "fact") this.tell(output.fact);
    return this.state.status;
  }

  private type(text: string): void {
    if (text !== "") this.typed.push(text);
  }
}

test("no message leaves a session busy for ever", () => {
  const session = new Played();
  expect(session.tell({ type: "start_session", asksClose: "explicit" })).toBe("creating");
  expect(session.tell({ type: "send_message", messageId: "one" })).toBe("creating");
  expect(session.tell({ type: "send_message", messageId: "two" })).toBe("creating");
  expect(session.print()).toBe("streaming");
  expect(session.print()).toBe("streaming");
  expect(session.print()).toBe("completed");
  expect(session.print()).toBe("completed");
  expect(session.tell({ type: "send_message", messageId: "three" })).toBe("streaming");
  expect(session.print()).toBe("completed");
  expect(session.typed).toEqual(["one\r", "two\r", "three\r"]);
});

test("an interruption is Ctrl-C, and is over with the next output", () => {
  const session = new Played();
  expect(session.tell({ type: "start_session", messageId: "make" })).toBe("creating");
  expect(session.print()).toBe("completed");
  expect(session.tell({ type: "send_message", messageId: "sleep 9" })).toBe("streaming");
  expect(session.tell({ type: "interrupt" })).toBe("streaming");
  expect(session.print()).toBe("paused");
  expect(session.tell({ type: "resume_session" })).toBe("streaming");
  expect(session.print()).toBe("completed");
  expect(session.typed).toEqual(["make\r", "sleep 9\r", "\x03", "\r"]);
});

test("a program that has ended is started again by a message, and gets it once it is there", () => {
  const session = new Played();
  session.tell({ type: "start_session" });
  session.print();
  expect(session.tell({ type: "process_exit", code: 0 })).toBe("completed");
  expect(session.tell({ type: "send_message", messageId: "again" })).toBe("streaming");
  expect(session.typed).toEqual([]);
  expect(session.print()).toBe("streaming");
  expect(session.typed).toEqual(["again\r"]);
  expect(session.print()).toBe("completed");
});
