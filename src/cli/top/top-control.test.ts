import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sessionSummary } from "../../../test/cli/wire-values.js";
import type { Client } from "../../client/client.js";
import type { EventItem, EventQuery } from "../../client/event-item.js";
import type { AskSummary, SessionSummary } from "../../protocol/session.js";
import { TopControl, type Key } from "./top-control.js";

const letter = (input: string): Key => ({ input, name: "text" });
const ENTER: Key = { input: "", name: "return" };

const waiting = (
  id: string,
  askId: string,
  openedAtMs: number,
  fields: Partial<AskSummary> = {},
): SessionSummary =>
  sessionSummary({
    id,
    title: id,
    status: "waiting_approval",
    asks: [
      {
        askId,
        ask: "command",
        title: "ls",
        detail: "",
        needsHuman: true,
        openedAtMs,
        tool: null,
        suggestions: [],
        ...fields,
      },
    ],
  });

let sessions: readonly SessionSummary[] = [];
const called: unknown[] = [];
let rings = 0;
let tell: ((item: EventItem) => void) | null = null;

const client = {
  listSessions: () => Promise.resolve({ items: [...sessions] }),
  getRoster: () => Promise.resolve({ connected: null, position: 0, seats: [] }),
  retry: (...args: readonly unknown[]) => Promise.resolve(void called.push(["retry", ...args])),
  resume: (...args: readonly unknown[]) => Promise.resolve(void called.push(["resume", ...args])),
  start: (...args: readonly unknown[]) => Promise.resolve(void called.push(["start", ...args])),
  connect: (...args: readonly unknown[]) => Promise.resolve(void called.push(["connect", ...args])),
  getThread: () => Promise.resolve({ items: [], position: 0 }),
  answerAsk: (...args: readonly unknown[]) => Promise.resolve(void called.push(args)),
  sendMessage: (...args: readonly unknown[]) => Promise.resolve(void called.push(args)),
  cancel: (...args: readonly unknown[]) => Promise.resolve(void called.push(["cancel", ...args])),
  async *events({ onOpen }: EventQuery = {}) {
    onOpen?.();
    for (;;)
      yield await new Promise<EventItem>((resolve) => {
        tell = resolve;
      });
  },
} as unknown as Client;

async function open(...first: readonly SessionSummary[]): Promise<TopControl> {
  sessions = first;
  const control = new TopControl({
    client,
    size: () => ({ cols: 80, rows: 23 }),
    onChange: () => void control.view(),
    onLeave: () => undefined,
    onAsk: () => (rings += 1),
  });
  void control.board.follow(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1_000);
  return control;
}

/** The daemon has other sessions now. */
async function become(...next: readonly SessionSummary[]): Promise<void> {
  sessions = next;
  tell?.({ type: "reset" });
  await vi.advanceTimersByTimeAsync(300);
}

beforeEach(() => {
  vi.useFakeTimers();
  called.length = 0;
  rings = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

test("what is on the screen is answered", async () => {
  const control = await open(waiting("s1", "k1", 1), waiting("s2", "k2", 2));
  control.press(letter("j"));
  await vi.advanceTimersByTimeAsync(1_000);
  control.press(letter("a"));
  control.press(letter("k"));
  await vi.advanceTimersByTimeAsync(1_000);
  control.press(letter("r"));
  for (const each of ["not ", "so"]) control.press(letter(each));
  control.press(ENTER);
  expect(called).toEqual([
    ["s2", "k2", { decision: "approve" }],
    ["s1", "k1", { decision: "reject", message: "not so" }],
  ]);
});

test("what has only just come up is not answered by a key that was meant for what was there before", async () => {
  const control = await open(waiting("s1", "k1", 1));
  await become(waiting("s1", "k9", 2));
  control.press(letter("a"));
  expect(called).toEqual([]);
  expect(control.view().notice).toBe("it has only just come up: look at it, then press again");
  await vi.advanceTimersByTimeAsync(700);
  control.press(letter("a"));
  expect(called).toEqual([["s1", "k9", { decision: "approve" }]]);
});

test("what was not shown to its end is not approved", async () => {
  const detail = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const control = await open(waiting("s1", "k1", 1, { detail, suggestions: ["Shell(ls)"] }));
  const wait = () => vi.advanceTimersByTimeAsync(1_000);
  const pressed = async (key: Key) => {
    control.press(key);
    await wait();
    return control.view();
  };
  await pressed(letter("?"));
  await pressed(letter("?"));
  for (const key of ["a", "s"])
    expect((await pressed(letter(key))).notice).toBe(
      "not all of it was shown: Space shows more; make the terminal larger if it does not",
    );
  expect(await pressed(letter(" "))).toMatchObject({ askLine: 17, isAskSeen: false });
  await pressed(letter("a"));
  expect(called).toEqual([]);
  control.press({ input: "", name: "pageDown" });
  // The last lines have only just come up.
  control.press(letter("a"));
  expect(called).toEqual([]);
  await wait();
  expect(control.view()).toMatchObject({ askLine: 25, isAskSeen: true });
  expect(await pressed(letter("b"))).toMatchObject({ askLine: 8, isAskSeen: true });
  await pressed(letter("s"));
  expect(called).toEqual([["s1", "k1", { decision: "approve", scope: "session" }]]);
});

test("a rejection needs no more than was shown", async () => {
  const control = await open(waiting("s1", "k1", 1, { detail: "x\n".repeat(40) }));
  control.press(letter("r"));
  control.press(ENTER);
  expect(called).toEqual([["s1", "k1", { decision: "reject" }]]);
});

test("what no rule can permit is not approved for the session", async () => {
  const control = await open(waiting("s1", "k1", 1));
  control.press(letter("s"));
  expect(called).toEqual([]);
  expect(control.view().notice).toBe("no rule can allow this from now on; a approves it once");
});

test("a session that pushes ahead does not take the place of the chosen one", async () => {
  const control = await open(waiting("s2", "k2", 5));
  await become(waiting("s1", "k1", 1), waiting("s2", "k2", 5));
  await vi.advanceTimersByTimeAsync(700);
  control.press(letter("a"));
  expect(called).toEqual([["s2", "k2", { decision: "approve" }]]);
});

test("a rejection that was being written does not hit another ask", async () => {
  const control = await open(waiting("s1", "k1", 1));
  await vi.advanceTimersByTimeAsync(1_000);
  control.press(letter("r"));
  await become(waiting("s1", "k9", 2));
  await vi.advanceTimersByTimeAsync(5_000);
  control.press(ENTER);
  expect(called).toEqual([]);
});

test("an answer that was being written does not hit another question", async () => {
  const asking = (askId: string): SessionSummary => {
    const { asks, ...rest } = waiting("s1", askId, 1);
    return { ...rest, status: "waiting_input", asks: asks.map((ask) => ({ ...ask, ask: "followup" })) };
  };
  const control = await open(asking("q1"));
  control.press(letter("m"));
  control.press(letter("yes"));
  await become(asking("q2"));
  control.press(ENTER);
  control.press(letter("mno"));
  control.press(ENTER);
  await become(sessionSummary({ id: "s1" }));
  control.press(letter("mhello"));
  control.press(ENTER);
  expect(called).toEqual([
    ["s1", { text: "yes", askId: "q1" }],
    ["s1", { text: "no", askId: "q2" }],
    ["s1", { text: "hello" }],
  ]);
});

test("it rings for asks that come, not for those that were there", async () => {
  const control = await open(waiting("s1", "k1", 1));
  expect(rings).toBe(0);
  await become(waiting("s1", "k1", 1), waiting("s2", "k2", 2));
  expect(rings).toBe(1);
  control.close();
});

test("a message goes to the session for which it was begun, though another is chosen by now", async () => {
  const working = (id: string) => sessionSummary({ id, title: id });
  const control = await open(working("s1"), working("s2"));
  for (const each of ["/", "streaming"]) control.press(letter(each));
  control.press(ENTER);
  const begin = (key: string) => {
    control.press(letter(key));
    return become(sessionSummary({ id: "s1", title: "s1", status: "completed" }), working("s2"));
  };
  expect(control.view().selected?.id).toBe("s1");
  await begin("m");
  expect(control.view().selected?.id).toBe("s2");
  control.press(letter("yes"));
  control.press(ENTER);
  expect(called).toEqual([["s1", { text: "yes" }]]);
  await become(working("s1"), working("s2"));
  control.press(letter("k"));
  await begin("x");
  control.press(letter("y"));
  expect(called.slice(1)).toEqual([["cancel", "s1"]]);
});

test.each(["m", "x"])("%s does nothing to a session that is gone by now", async (key) => {
  const control = await open(sessionSummary({ id: "s1" }), sessionSummary({ id: "s2" }));
  control.press(letter(key));
  await become(sessionSummary({ id: "s2" }));
  control.press(letter("y"));
  control.press(ENTER);
  expect(called).toEqual([]);
  expect(control.view().notice).toBe("that session is gone; nothing was done");
});

test("a session that was deleted goes from the list, though no event tells of it", async () => {
  const control = await open(sessionSummary({ id: "s1" }), sessionSummary({ id: "s2" }));
  sessions = [sessionSummary({ id: "s2" })];
  await vi.advanceTimersByTimeAsync(61_000);
  expect(control.view().all.map(({ id }) => id)).toEqual(["s2"]);
  control.close();
});

test("stopping needs a second key", async () => {
  const control = await open(sessionSummary());
  control.press(letter("x"));
  control.press(letter("n"));
  control.press(letter("x"));
  expect(called).toEqual([]);
  control.press(letter("y"));
  expect(called).toEqual([["cancel", "s1"]]);
});

test("f sends a message anyway where the screen is not understood, and nowhere else", async () => {
  const control = await open(sessionSummary({ certainty: "unknown", unknownSinceMs: 0 }));
  control.press(letter("f"));
  for (const each of "go") control.press(letter(each));
  control.press(ENTER);
  expect(called).toEqual([["s1", { text: "go", force: true }]]);
  const known = await open(sessionSummary());
  known.press(letter("f"));
  expect(known.view().mode).toEqual({ type: "list" });
  expect(known.view().notice).toBe("what it shows is understood: m sends a message");
});

test("no message is begun where nobody would take it", async () => {
  const shell = sessionSummary({ status: "idle", addressee: "agent" });
  const control = await open({ ...shell, ui: { ...shell.ui, canCancel: true } });
  control.press(letter("m"));
  expect(control.view().mode).toEqual({ type: "list" });
  expect(control.view().notice).toBe("no agent is there to take a message; signalbox attach s1");
  const dialog = { ask: "followup", atTerminal: true } as const;
  const asked = await open({ ...waiting("s2", "k1", 0, dialog), status: "waiting_input" });
  for (const key of ["m", "a"]) {
    asked.press(letter(key));
    expect(asked.view().mode).toEqual({ type: "list" });
    expect(asked.view().notice).toBe("it is answered in the terminal: signalbox attach s2");
  }
  expect(called).toEqual([]);
});

test("each width of an approval has a key", async () => {
  const control = await open(waiting("s1", "k1", 1, { suggestions: ["Shell(ls)"] }));
  for (const key of ["a", "s", "p", "A"]) control.press(letter(key));
  expect(called).toEqual([
    ["s1", "k1", { decision: "approve" }],
    ["s1", "k1", { decision: "approve", scope: "session" }],
    ["s1", "k1", { decision: "approve", scope: "project" }],
    ["s1", "k1", { decision: "approve", scope: "always" }],
  ]);
});

test("a session that has ended its turn is retried, resumed, begun anew or connected by a key", async () => {
  const control = await open(sessionSummary({ status: "error" }));
  for (const key of ["t", "w", "c"]) control.press(letter(key));
  await become(sessionSummary({ status: "stopped" }));
  control.press(letter("u"));
  expect(called).toEqual([
    ["retry", "s1"],
    ["start", "s1"],
    ["connect", { sessionId: "s1" }],
    ["resume", "s1"],
  ]);
  await become(sessionSummary({ status: "streaming" }));
  control.press(letter("t"));
  expect(control.view().notice).toBe("there is nothing to retry: it has not failed");
  control.press(letter("u"));
  expect(control.view().notice).toBe("there is nothing to resume: it has not ended");
  expect(called).toHaveLength(4);
});

test("the daemon is away only when it was there, or was asked in vain", async () => {
  const control = new TopControl({
    ...{ client, size: () => ({ cols: 80, rows: 23 }), onChange: () => undefined },
    ...{ onLeave: () => undefined, onAsk: () => undefined },
  });
  expect(control.view().link).toBe("connecting");
  void control.board.follow(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(control.view().link).toBe("live");
});
