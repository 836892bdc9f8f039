/** A day with an agent, in small: every kind of moment in which a shown status can be wrong. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Truth as ModelTruth } from "../model-server/truth.js";
import type { Actor } from "./actor.js";
import type { Deed, Expectation, Segment } from "./segments.js";

export interface Stage {
  readonly actor: Actor;
  readonly model: ModelTruth;
  /** The name of the prompt that was sent. */
  readonly id: string;
  /** Given up then. */
  readonly signal: AbortSignal;
  readonly mark: (deed: Deed) => void;
  /** Where the session works. */
  readonly cwd: string;
  /** Something that must never happen did, whatever was shown meanwhile. */
  readonly broken: (what: string) => void;
}

/** What the model was asked to do says what was true. */
export interface PromptedScene {
  readonly type: "prompted";
  readonly name: string;
  readonly prompt: string;
  readonly expectation: Expectation;
  /** After the prompt was sent, until nothing more is to come. */
  readonly act: (stage: Stage) => Promise<void>;
}

/** Played at the terminal alone: it knows itself what was true. */
export interface TerminalScene {
  readonly type: "terminal";
  readonly name: string;
  readonly play: (stage: Omit<Stage, "id" | "mark">) => Promise<readonly Segment[]>;
}

export type Scene = PromptedScene | TerminalScene;

const PLAIN: Expectation = { asks: null, fails: false };
const WORDS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";

const untilDone = ({ model, id, signal }: Stage) => model.until(id, "done", signal);

/** A person is not always there at once. */
function answeredAfter(kind: "approval" | "question", delayMs: number): PromptedScene["act"] {
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

export const TEXT: Scene = {
  type: "prompted",
  name: "text",
  prompt: `[[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const SLOW_TEXT: Scene = {
  type: "prompted",
  name: "slow text",
  prompt: `[[slow:400]] [[chunks:10]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

/** Nothing is printed for longer than it takes to be thought idle. */
export const LONG_THOUGHT: Scene = {
  type: "prompted",
  name: "a long thought",
  prompt: `[[wait:5000]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const PAUSES: Scene = {
  type: "prompted",
  name: "text with pauses",
  prompt: `[[slow:3000]] [[chunks:3]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

export const APPROVAL: Scene = {
  type: "prompted",
  name: "approval after a while",
  prompt: "[[shell:touch approved-in-time]] [[text:it ran]]",
  expectation: asks("approval"),
  act: answeredAfter("approval", 5_000),
};

/** Not by `sleep`: some agents refuse to run one that is long. */
export const LONG_TOOL: Scene = {
  type: "prompted",
  name: "a silent command",
  prompt: "[[shell:timeout 5 tail -f /dev/null; touch waited]] [[text:it waited]]",
  expectation: asks("approval"),
  act: answeredAfter("approval", 1_500),
};

export const QUESTION: Scene = {
  type: "prompted",
  name: "question",
  prompt: "[[ask:Which colour?|crimson|azure]] [[text:so be it]]",
  expectation: asks("question"),
  act: answeredAfter("question", 4_000),
};

export const INTERRUPTION: Scene = {
  type: "prompted",
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
    type: "prompted",
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
  type: "prompted",
  name: "rate limit",
  prompt: `[[errorn:2:429]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

/** Of an agent that does not wait when it is told to. */
export const GIVEN_UP: Scene = {
  type: "prompted",
  name: "rate limit, given up",
  prompt: "[[error:429]]",
  expectation: { asks: null, fails: true },
  act: ({ model, id, signal }) => model.until(id, "error", signal),
};

export const FAILURE: Scene = {
  type: "prompted",
  name: "failure",
  prompt: "[[error:400]]",
  expectation: { asks: null, fails: true },
  act: ({ model, id, signal }) => model.until(id, "error", signal),
};

/** Where an agent suggests what to say next after it has failed, that is not typed text. */
export const AFTER_FAILURE: Scene = {
  type: "prompted",
  name: "a message after a failure",
  prompt: `[[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

/** Answered as soon as it is told, when its dialog may be half drawn: told as closed, it must have been applied. */
export function approvalAtOnce(count: number): Scene {
  const file = `approved-at-once-${count}`;
  return {
    type: "prompted",
    name: count === 1 ? "approval at once" : `approval at once ${count}`,
    prompt: `[[shell:touch ${file}]] [[text:it ran]]`,
    expectation: asks("approval"),
    act: async (stage) => {
      const { actor, mark, broken, cwd } = stage;
      const { askId } = await actor.session.asked();
      mark("answered");
      await actor.session.approve(askId);
      try {
        await untilDone({ ...stage, signal: AbortSignal.any([stage.signal, AbortSignal.timeout(20_000)]) });
      } catch (error) {
        const { asks: open } = await actor.session.read();
        if (open.length === 0) broken("an approval was told as closed, and the agent still waits for it");
        throw error;
      }
      if (!(await exists(join(cwd, file)))) broken("an approval was told as applied, and nothing ran");
    },
  };
}

export const CRASH: Scene = {
  type: "prompted",
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

/** Backquotes, as ordinary prose has them: a shell would run what they hold. */
const RAN_BY_SHELL = "run-by-the-shell";

/** The agent dies in a shell while a message waits for it: the message is not for the shell. */
export const KILLED_IN_SHELL: Scene = {
  type: "prompted",
  name: "killed in a shell with a message queued",
  prompt: `[[slow:500]] [[chunks:40]] [[text:${WORDS}]]`,
  expectation: PLAIN,
  act: async ({ actor, model, id, signal, mark, broken, cwd }) => {
    await model.until(id, "streaming", signal);
    await sleep(1_000);
    await actor.send(`Then have a look at \`touch ${RAN_BY_SHELL}\`, please.`);
    await sleep(1_000);
    mark("left_in_shell");
    await actor.kill();
    await sleep(10_000);
    if (await exists(join(cwd, RAN_BY_SHELL))) broken("a shell ran what was in a message for an agent");
  },
};

/** A dialog that nobody knows is no start that goes on: still for so long, it is told that it waits for a person. */
const NOTICED_MS = 5_000;

/** A dialog of which there is no rule, before the agent can be talked to. `leaves` ends it. */
export function startDialog(words: RegExp, leaves: string): Scene {
  return {
    type: "terminal",
    name: "a dialog at the start",
    play: async ({ actor }) => {
      const seenAtMs = await actor.shows(words);
      await sleep(NOTICED_MS + 10_000);
      const untilMs = Date.now();
      actor.type(leaves);
      await actor.session.reaches("completed");
      const askedAtMs = seenAtMs + NOTICED_MS;
      return [
        { truth: "about_to_ask", fromMs: seenAtMs, untilMs: askedAtMs },
        { truth: "question", fromMs: askedAtMs, untilMs },
        { truth: "about_to_rest", fromMs: untilMs, untilMs: Date.now() },
      ];
    },
  };
}

/** In the input box stands what nobody typed: it is played only if that was really shown. */
export function ghostText(words: RegExp): Scene {
  return {
    type: "terminal",
    name: "ghost text in the input box",
    play: async ({ actor }) => {
      const fromMs = await actor.shows(words, 0, 20_000);
      await sleep(5_000);
      return [{ truth: "idle", fromMs, untilMs: Date.now() }];
    },
  };
}

export const OVER_GHOST_TEXT: Scene = {
  type: "prompted",
  name: "a message over ghost text",
  prompt: `[[text:${WORDS}]]`,
  expectation: PLAIN,
  act: untilDone,
};

/** A key of the program that nobody knows, what it shows then, and what may be told of it. */
export function unknownScene(
  name: string,
  key: string,
  words: RegExp,
  truth: "unknowable" | "unknowable_question",
  lastsMs: number,
): Scene {
  return {
    type: "terminal",
    name,
    play: async ({ actor, broken }) => {
      const pressedAtMs = Date.now();
      actor.type(key);
      const shownAtMs = await actor.shows(words, pressedAtMs);
      await sleep(lastsMs);
      const { ui } = await actor.session.read();
      // What stands still for 20 s without being understood needs a person.
      if (lastsMs > 22_000 && !ui.needsAttention) broken("nobody is told to look at it");
      return [{ truth, fromMs: shownAtMs, untilMs: Date.now() }];
    },
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
