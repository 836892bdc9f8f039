import { describeFlaw } from "../core/schema.js";
import type { Refusal, Step } from "../core/step.js";
import type { Machine, TableDescription } from "../core/table.js";
import type { Line } from "./line-splitter.js";
import { UsageError } from "./command.js";
import { nestsDeeperThan } from "./nesting.js";

const NESTING_MAX = 1_000;

/** A machine whose types have been forgotten: lines in, lines out. */
export interface Player {
  readonly description: TableDescription;
  /** Starts at the machine's initial state, with the fields of this JSON text replaced. */
  readonly play: (initialJson: string | undefined) => Play;
}

export interface Play {
  /** The answer to a line, as one line of JSON; null when the line is blank. */
  readonly answer: (line: Line) => string | null;
  readonly invalidCount: () => number;
}

export function player<S extends object, E, X, Code extends string>(machine: Machine<S, E, X, Code>): Player {
  return {
    description: machine.description,
    play: (initialJson) => {
      const running = new RunningMachine(machine, startingState(machine, initialJson));
      return { answer: (line) => running.answer(line), invalidCount: () => running.invalidCount };
    },
  };
}

class RunningMachine<S extends object, E, X, Code extends string> {
  invalidCount = 0;
  private lineCount = 0;
  /** The state as JSON: most lines of a long run do not change it. */
  private stateJson: string;

  constructor(
    private readonly machine: Machine<S, E, X, Code>,
    private state: S,
  ) {
    this.stateJson = JSON.stringify(state);
  }

  answer(line: Line): string | null {
    this.lineCount += 1;
    if (line.type === "unreadable") return this.invalid(line.why);
    if (/^[ \t\r]*$/.test(line.text)) return null;
    if (nestsDeeperThan(NESTING_MAX, line.text))
      return this.invalid(`nested deeper than ${String(NESTING_MAX)}`);
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch (error) {
      return this.invalid(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
    const event = this.machine.parseEvent(value);
    return event.ok ? this.take(event.value) : this.invalid(describeFlaw(event.flaw));
  }

  private take(event: E): string {
    const step = this.machine.transition(this.state, event);
    if (step.state !== this.state) this.stateJson = JSON.stringify(step.state);
    this.state = step.state;
    return print(step.result, this.stateJson, JSON.stringify(step.effects), step.error);
  }

  private invalid(why: string): string {
    this.invalidCount += 1;
    const error = { code: "event_invalid", message: `line ${String(this.lineCount)}: ${why}` };
    return print("invalid", this.stateJson, "[]", error);
  }
}

type Verdict = Step<unknown, unknown>["result"] | "invalid";

function print(result: Verdict, stateJson: string, effectsJson: string, error: Refusal | undefined): string {
  const tail =
    error === undefined ? "" : `,"error":${JSON.stringify({ code: error.code, message: error.message })}`;
  return `{"result":"${result}","state":${stateJson},"effects":${effectsJson}${tail}}`;
}

function startingState<S extends object, E, X, Code extends string>(
  machine: Machine<S, E, X, Code>,
  initialJson: string | undefined,
): S {
  if (initialJson === undefined) return machine.initial;
  const fields = Object.keys(machine.initial);
  const hint = `It replaces fields of the initial state, which are: ${fields.join(", ")}.`;
  const replaced = parseObject(initialJson, hint);
  const unknown = Object.keys(replaced).find((field) => !Object.hasOwn(machine.initial, field));
  if (unknown !== undefined) {
    throw new UsageError(
      `--initial: the ${machine.name} machine has no field ${JSON.stringify(unknown)}`,
      hint,
    );
  }
  const state = machine.parseState({ ...machine.initial, ...replaced });
  if (!state.ok) throw new UsageError(`--initial: ${describeFlaw(state.flaw)}`, hint);
  return state.value;
}

function parseObject(json: string, hint: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(
      `--initial: not JSON: ${error instanceof Error ? error.message : String(error)}`,
      hint,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("--initial: expected a JSON object", hint);
  }
  return value;
}
