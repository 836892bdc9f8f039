/** What the codec knows of one run of the legacy Kilo CLI. Plain JSON, and small. */
import type { Json } from "../../core/index.js";
import type { RunStart } from "../../runtime/harness.js";
import { isObject, type JsonObject } from "../kit/json.js";
import { Step } from "../kit/step.js";

export const ASKS_MAX = 64;

export type KiloState = {
  /** Tells it from the state of a Kilo that speaks ACP. */
  readonly legacy: true;
  readonly run: number;
  readonly resume: string | null;
  readonly continues: boolean;
  /** It was given something to do: only then does it listen to answers. */
  readonly begun: boolean;
  readonly ready: boolean;
  /** Its first request was seen: what it said before repeats the prompt. */
  readonly requested: boolean;
  /** What has an older timestamp was said in an earlier run. */
  readonly sinceMs: number | null;
  readonly turn: number;
  readonly interrupting: boolean;
  /** It has stopped, and waits to be told to go on. */
  readonly resting: "done" | "paused" | "failed" | null;
  /** Asks that wait for an answer. */
  readonly asks: readonly string[];
  /** Calls that were asked about, and run as far as we know. */
  readonly calls: readonly { readonly callId: string; readonly rejected: boolean }[];
  /** What the request with this id has used so far: it is told again and again. */
  readonly used: KiloUsage | null;
  readonly retries: number;
  /** For messages without a timestamp. */
  readonly count: number;
};

export type KiloUsage = {
  readonly id: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costUsd: number;
};

export function firstKiloState({ run, resume, continues, prompt }: RunStart): KiloState {
  return {
    legacy: true,
    run,
    resume,
    continues,
    begun: prompt !== null || resume !== null,
    ready: false,
    requested: false,
    sinceMs: null,
    turn: prompt === null ? 0 : 1,
    interrupting: false,
    resting: null,
    asks: [],
    calls: [],
    used: null,
    retries: 0,
    count: 0,
  };
}

export function isKiloState(json: Json): boolean {
  return isObject(json) && json["legacy"] === true;
}

export function fromJson(json: Json): KiloState {
  // Only this codec writes it.
  return json as unknown as KiloState;
}

/** One line being read. */
export class KiloStep extends Step<KiloState> {
  protected override readonly askBounds = { title: 500, detail: 20_000 };

  get streamId(): string {
    const { run, turn } = this.state;
    return `run-${run}-turn-${turn}`;
  }

  override unknown(kind: string, what: JsonObject | string): void {
    super.unknown(kind, what, { kind });
  }
}
