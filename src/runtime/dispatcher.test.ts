import { describe, expect, test } from "vitest";
import { ManualClock, NotingDriver, SETTINGS } from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import { initialSession } from "../core/index.js";
import { NO_USAGE } from "../protocol/session.js";
import type { Call } from "./call.js";
import { Dispatcher } from "./dispatcher.js";
import type { OutboxItem, Performed } from "./ports.js";
import type { SessionRecord } from "./session-record.js";

const DONE: Performed = { facts: [] };

function record(id: string, run = 1, alive = true): SessionRecord {
  return {
    id,
    createdAtMs: 0,
    updatedAtMs: 0,
    statusSinceMs: 0,
    settings: SETTINGS,
    state: { ...initialSession, run, alive },
    seq: 0,
    callCount: 0,
    seatedRun: 0,
    removing: false,
    progress: { run, outOffset: 0, hooksOffset: 0, skipping: false, codec: null },
    askDetails: {},
    openTools: {},
    usage: NO_USAGE,
    grants: [],
  };
}

function write(sessionId: string, effectId: string, run = 1): OutboxItem {
  return { sessionId, effectId, call: { type: "write", run, data: effectId, onFailure: { type: "none" } } };
}

function bench() {
  const clock = new ManualClock();
  const driver = new NotingDriver();
  const log: string[] = [];
  const known = new Map([record("a"), record("b")].map((each) => [each.id, each]));
  const finish: (() => void)[] = [];
  driver.act = (item) => {
    log.push(`begin ${item.sessionId} ${item.effectId}`);
    return new Promise((resolve) => void finish.push(() => resolve(DONE)));
  };
  const dispatcher = new Dispatcher({
    driver,
    clock,
    observer: {
      stepped: () => undefined,
      unknownMessage: () => undefined,
      failed: (what, error) => void log.push(`${what}: ${String(error)}`),
    },
    pass: () => undefined,
    record: (sessionId) => known.get(sessionId) ?? null,
    durable: (sessionId) => known.get(sessionId) ?? null,
    settle: (item, performed) => {
      log.push(`settled ${item.sessionId} ${item.effectId} ${performed.facts.length}`);
      return Promise.resolve();
    },
  });
  const finishOne = async (): Promise<void> => {
    finish.shift()?.();
    await settleMicrotasks();
  };
  return { clock, driver, dispatcher, log, known, finish, finishOne };
}

describe("order", () => {
  test("calls of a session come one after the other", async () => {
    const { dispatcher, log, finishOne } = bench();
    dispatcher.start();
    for (const effectId of ["1.0", "1.1", "2.0"]) dispatcher.dispatch(write("a", effectId));
    await settleMicrotasks();
    expect(log).toEqual(["begin a 1.0"]);
    await finishOne();
    expect(log).toEqual(["begin a 1.0", "settled a 1.0 0", "begin a 1.1"]);
    await finishOne();
    await finishOne();
    expect(log.slice(3)).toEqual(["settled a 1.1 0", "begin a 2.0", "settled a 2.0 0"]);
    expect(dispatcher.depth).toBe(0);
  });

  test("sessions do not wait for each other", async () => {
    const { dispatcher, log } = bench();
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0"));
    dispatcher.dispatch(write("a", "1.1"));
    dispatcher.dispatch(write("b", "1.0"));
    await settleMicrotasks();
    expect(log).toEqual(["begin a 1.0", "begin b 1.0"]);
    expect(dispatcher.depth).toBe(3);
  });

  test("what is dispatched before the start waits for it, first come first", async () => {
    const { dispatcher, log, finishOne } = bench();
    dispatcher.dispatch(write("a", "1.0"));
    dispatcher.dispatch(write("a", "2.0"));
    await settleMicrotasks();
    expect(log).toEqual([]);
    expect(dispatcher.some("a", ({ effectId }) => effectId === "2.0")).toBe(true);
    dispatcher.start();
    dispatcher.dispatch(write("a", "3.0"));
    for (let time = 0; time < 3; time += 1) await finishOne();
    expect(log.filter((line) => line.startsWith("begin"))).toEqual([
      "begin a 1.0",
      "begin a 2.0",
      "begin a 3.0",
    ]);
  });
});

describe("overtaking", () => {
  const typing = (effectId: string, run = 1): OutboxItem => {
    const call: Call = {
      type: "typing",
      run,
      typing: { type: "message", text: effectId, force: false, addressee: null },
      onFailure: { type: "delivery_failed", run, messageId: effectId },
    };
    return { sessionId: "a", effectId, call };
  };
  const keys = (onFailure: Extract<Call, { type: "typing" }>["onFailure"]): Call => {
    return { type: "typing", run: 1, typing: { type: "keys", keys: ["x"] }, onFailure };
  };
  const stop: Call = { type: "stop", run: 1 };
  const interrupt = keys({ type: "none" });

  /** Calls that are done only when they are overtaken. */
  function patientBench() {
    const made = bench();
    made.driver.act = ({ effectId }, _record, overtaken) =>
      new Promise((resolve) => {
        const giveUp = (): void => {
          made.log.push(`gave up ${effectId}`);
          resolve(DONE);
        };
        if (overtaken.aborted) giveUp();
        else overtaken.addEventListener("abort", giveUp);
      });
    made.dispatcher.start();
    return made;
  }

  test.each([
    ["a stop", stop],
    ["an interruption", interrupt],
  ])("%s does not wait for what is typed before it", async (_name, call) => {
    const { dispatcher, driver, log } = patientBench();
    dispatcher.dispatch(typing("1.0"));
    dispatcher.dispatch(typing("1.1"));
    await settleMicrotasks();
    expect([log, driver.items.length]).toEqual([[], 1]);
    dispatcher.dispatch({ sessionId: "a", effectId: "2.0", call });
    await settleMicrotasks();
    expect(log).toEqual(["gave up 1.0", "settled a 1.0 0", "gave up 1.1", "settled a 1.1 0"]);
    expect(driver.items.map(({ effectId }) => effectId)).toEqual(["1.0", "1.1", "2.0"]);
  });

  test.each([
    ["another message", typing("2.0").call],
    ["keys that let it go on", keys({ type: "effect_failed", run: 1, effect: { type: "continue_run" } })],
    ["the end of another run", { type: "stop", run: 2 } satisfies Call],
  ])("%s waits", async (_name, call) => {
    const { dispatcher, log } = patientBench();
    dispatcher.dispatch(typing("1.0"));
    dispatcher.dispatch({ sessionId: "a", effectId: "2.0", call });
    await settleMicrotasks();
    expect(log).toEqual([]);
  });
});

describe("failures", () => {
  test("a call that throws is tried again after a second, and the next one waits", async () => {
    const { dispatcher, driver, clock, log } = bench();
    let tries = 0;
    driver.act = (item) => {
      tries += 1;
      log.push(`try ${item.effectId}`);
      if (tries < 3) throw new Error("away");
      return DONE;
    };
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0"));
    dispatcher.dispatch(write("a", "1.1"));
    await settleMicrotasks();
    clock.advance(999);
    await settleMicrotasks();
    expect(log).toEqual(["try 1.0", "write of a: Error: away"]);
    clock.advance(1);
    await settleMicrotasks();
    clock.advance(1_000);
    await settleMicrotasks();
    expect(log.slice(2)).toEqual([
      "try 1.0",
      "write of a: Error: away",
      "try 1.0",
      "settled a 1.0 0",
      "try 1.1",
      "settled a 1.1 0",
    ]);
  });

  test("calls of a session that is gone are dropped", async () => {
    const { dispatcher, log, known } = bench();
    known.delete("a");
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0"));
    await settleMicrotasks();
    expect([log, dispatcher.depth]).toEqual([[], 0]);
  });
});

describe("moot spawns", () => {
  const spawn = (run: number): OutboxItem => {
    const call: Call = { type: "spawn", run, resume: null, prompt: null };
    return { sessionId: "a", effectId: "1.0", call };
  };

  test.each([
    ["the run that the journal knows to live is started", 2, true, 2, "begin a 1.0"],
    ["one that has ended is not", 2, false, 2, "settled a 1.0 0"],
    ["one that was replaced is not", 3, true, 2, "settled a 1.0 0"],
  ])("%s", async (_, run, alive, spawned, first) => {
    const { dispatcher, log, known } = bench();
    known.set("a", record("a", run, alive));
    dispatcher.start();
    dispatcher.dispatch(spawn(spawned));
    await settleMicrotasks();
    expect(log).toEqual([first]);
  });
});

describe("settled", () => {
  test("resolves at once when no call to the run is left", async () => {
    const { dispatcher } = bench();
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0", 2));
    await dispatcher.settled("a", 1);
    await dispatcher.settled("b", 1);
  });

  test("waits for every call to the run, also those that came later, and for no other", async () => {
    const { dispatcher, log, finishOne } = bench();
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0", 1));
    void dispatcher.settled("a", 1).then(() => void log.push("run 1"));
    dispatcher.dispatch(write("a", "1.1", 2));
    dispatcher.dispatch(write("a", "1.2", 1));
    dispatcher.dispatch(write("a", "1.3", 2));
    for (let time = 0; time < 3; time += 1) await finishOne();
    expect(log.filter((line) => line.startsWith("begin") || line.startsWith("run"))).toEqual([
      "begin a 1.0",
      "begin a 1.1",
      "begin a 1.2",
      "begin a 1.3",
      "run 1",
    ]);
  });

  test("waits for calls that wait for the start", async () => {
    const { dispatcher, log, finishOne } = bench();
    dispatcher.dispatch(write("a", "1.0", 1));
    void dispatcher.settled("a", 1).then(() => void log.push("run 1"));
    await settleMicrotasks();
    expect(log).toEqual([]);
    dispatcher.start();
    await finishOne();
    expect(log).toEqual(["begin a 1.0", "settled a 1.0 0", "run 1"]);
  });

  test("nobody waits for a dispatcher that is closed, and it does nothing more", async () => {
    const { dispatcher, log, finishOne } = bench();
    dispatcher.start();
    dispatcher.dispatch(write("a", "1.0", 1));
    dispatcher.dispatch(write("a", "1.1", 1));
    const settled = dispatcher.settled("a", 1);
    dispatcher.close();
    await settled;
    await dispatcher.settled("a", 1);
    dispatcher.dispatch(write("b", "1.0"));
    await finishOne();
    expect(log.filter((line) => line.startsWith("begin"))).toEqual(["begin a 1.0"]);
  });
});
