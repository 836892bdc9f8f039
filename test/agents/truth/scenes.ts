/** A day with an agent, in small: every kind of moment in which a shown status can be wrong. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Truth as ModelTruth } from "../model-server/truth.js";
import type { Actor } from "./actor.js";
import type { Deed, Expectation } from "./segments.js";

export interface Stage {
  readonly actor: Actor;
  readonly model: ModelTruth;
  /** The name of the prompt that was sent. */
  readonly id: string;
  /** Given up then. */
  readonly signal: AbortSignal;
  readonly mark: (deed: Deed) => void;
}

export interface Scene {
  readonly name: string;
  readonly prompt: string;
  readonly expectation: Expectation;
  /** After the prompt was sent, until nothing more is to come. */
  readonly act: (stage: Stage) => Promise<void>;
}

const PLAIN: Expectation = { asks: null, fails: false };
const WORDS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";

const untilDone = ({ model, id, signal }: Stage) => model.until(id, "done", signal);

/** A person is not always there at once. */
function answeredAfter(kind: "approval" | "question", delayMs: number): Scene["act"] {
  return async (stage) => {
    const { actor, model, id, signal, mark } = stage;
    await model.until(id, "tool_call_sent", signal);
    await sleep(delayMs);
    mark("answered");
    if (await actor.answer(kind)) return untilDone(stage);
    // Nobody can answer what is not shown.
    mark("interrupted");
    await actor.interrupt();
  };
}

const asks = (kind: "approval" | "question"): Expectation => ({ asks: kind, fails: false });

export const TEXT: Scene = { name: "text", prompt: `[[text:${WORDS}]]`, expectation: PLAIN, act: untilDone };

export const SLOW_TEXT: Scene = {
  name: "slow text",
  prompt: `[[slow:400]] [[chunks:10]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

/** Nothing is printed for longer than it takes to be thought idle. */
export const LONG_THOUGHT: Scene = {
  name: "a long thought",
  prompt: `[[wait:5000]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const PAUSES: Scene = {
  name: "text with pauses",
  prompt: `[[slow:3000]] [[chunks:3]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const APPROVAL: Scene = {
  name: "approval after a while",
  prompt: "[[shell:touch approved-in-time]] [[text:it ran]]",
  expectation: asks("approval"),
  act: answeredAfter("approval", 5_000),
};

export const LONG_TOOL: Scene = {
  name: "a silent command",
  prompt: "[[shell:sleep 5 && touch slept]] [[text:it slept]]",
  expectation: asks("approval"),
  act: answeredAfter("approval", 1_500),
};

export const QUESTION: Scene = {
  name: "question",
  prompt: "[[ask:Which colour?|crimson|azure]] [[text:so be it]]",
  expectation: asks("question"),
  act: answeredAfter("question", 4_000),
};

export const INTERRUPTION: Scene = {
  name: "interruption",
  prompt: `[[slow:500]] [[chunks:30]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: async ({ actor, model, id, signal, mark }) => {
    await model.until(id, "streaming", signal);
    await sleep(2_000);
    mark("interrupted");
    await actor.interrupt();
    await model.until(id, "hung_up", signal);
  },
};

/** It wakes by itself when the command ends. */
export function backgroundScene(directive: string): Scene {
  return {
    name: "background work",
    prompt: `${directive} [[text:it goes on]]`,
    expectation: asks("approval"),
    act: async (stage) => {
      await answeredAfter("approval", 1_500)(stage);
      await stage.model.until(stage.id, "done", stage.signal, 2);
    },
  };
}

export const RATE_LIMIT: Scene = {
  name: "rate limit",
  prompt: `[[errorn:2:429]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const FAILURE: Scene = {
  name: "failure",
  prompt: "[[error:400]]",
  expectation: { asks: null, fails: true },
  act: ({ model, id, signal }) => model.until(id, "error", signal),
};

export const CRASH: Scene = {
  name: "crash",
  prompt: `[[slow:500]] [[chunks:30]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: async ({ actor, model, id, signal, mark }) => {
    await model.until(id, "streaming", signal);
    await sleep(1_000);
    mark("killed");
    await actor.kill();
    // Codex in a terminal has a server of its own, which is not killed with it and hears the model out.
    await model.until(id, ["hung_up", "done"], signal);
  },
};
