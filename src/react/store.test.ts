import { expect, test } from "vitest";
import { UnreachableError, SignalboxError } from "../client/signalbox-error.js";
import { FakeDaemon, openStore, settle } from "./fake-daemon.test.js";
import { sessionTopic, TOPICS } from "./store.js";
import { threadTopic } from "./thread-watches.js";

test("status comes from state events, each once: what a list already has is not applied again", async () => {
  const daemon = new FakeDaemon();
  const early = daemon.changed("a", "idle", "creating");
  const known = daemon.changed("a", "creating", "streaming");
  daemon.put({ id: "a", status: "streaming" });
  const { store } = await openStore(daemon);
  await daemon.send(early, known);
  expect(store.session("a")?.status).toBe("streaming");
  await daemon.send(daemon.changed("a", "streaming", "completed"));
  expect(store.session("a")).toMatchObject({
    status: "completed",
    position: 3,
    statusSinceMs: 3_000,
    ui: { showSpinner: false, showResumeButton: true, inputEnabled: true },
  });
  store.stop();
});

test("what is wrong with the daemon is known as soon as it says so", async () => {
  const daemon = new FakeDaemon();
  const { store, frame } = await openStore(daemon);
  expect(store.health).toBeNull();
  const touched: string[] = [];
  store.topics.subscribe(TOPICS.health, () => touched.push("health"));
  const full = { name: "disk", ok: false, detail: "it is full", remedy: "Make room." };
  daemon.streams.at(-1)?.query.onHealth?.({ ok: false, readOnly: false, checks: [full] });
  frame();
  expect([store.health, touched]).toEqual([{ ok: false, readOnly: false, checks: [full] }, ["health"]]);
  store.stop();
});

test("content never changes a status", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "completed" });
  const { store } = await openStore(daemon);
  const before = store.session("a");
  await daemon.send(daemon.text("a", "Now I look at it.\n"));
  expect(store.session("a")).toBe(before);
  expect(store.activity("a")).toMatchObject({ type: "text", text: "Now I look at it." });
  store.stop();
});

test("what is read again for its costs cannot bring a status before its event", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "creating" });
  const { store } = await openStore(daemon);
  const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0, costUsd: 3 };
  daemon.put({ id: "a", status: "completed", title: "Renamed", usage });
  await daemon.send(daemon.changed("a", "creating", "streaming"));
  await expect.poll(() => store.session("a")?.usage.costUsd).toBe(3);
  expect(store.session("a")).toMatchObject({ status: "streaming", title: "Renamed" });
  store.stop();
});

test("asks open and close, and a queue fills and empties", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "waiting_approval" });
  const { store } = await openStore(daemon);
  const ask = { askId: "q", ask: "tool", title: "ls", detail: "ls -l", needsHuman: true, openedAtMs: 5 };
  await daemon.send(
    daemon.state("a", { type: "ask_opened", ...ask }),
    daemon.state("a", { type: "message_status", messageId: "m1", status: "queued" }),
    daemon.state("a", { type: "message_status", messageId: "m2", status: "queued" }),
    daemon.state("a", { type: "message_status", messageId: "m1", status: "sending" }),
  );
  expect(store.session("a")).toMatchObject({
    asks: [{ ...ask, tool: null, suggestions: [] }],
    queue: [
      { messageId: "m1", status: "sending" },
      { messageId: "m2", status: "queued" },
    ],
    ui: { needsAttention: true },
  });
  await daemon.send(
    daemon.state("a", { type: "ask_closed", askId: "q", reason: "answered" }),
    daemon.state("a", { type: "message_status", messageId: "m1", status: "sent" }),
  );
  expect(store.session("a")).toMatchObject({
    asks: [],
    queue: [{ messageId: "m2", status: "queued" }],
    ui: { needsAttention: false },
  });
  store.stop();
});

test("an error stays for as long as the status, and a request that is refused is none", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a" });
  const { store } = await openStore(daemon);
  const error = { code: "streaming_failed", message: "cut off", retryable: true, source: "harness" } as const;
  const refusal = { code: "ask_stale", message: "gone", retryable: false, source: "orchestrator" } as const;
  const refused = () => daemon.state("a", { type: "session_error", ...refusal }, "request");
  const unkept = { code: "conflict", message: "not kept", retryable: false, source: "orchestrator" } as const;
  const told = () => daemon.state("a", { type: "session_error", ...unkept });
  await daemon.send(refused());
  expect(store.session("a")?.error).toBeNull();
  await daemon.send(told(), refused());
  expect(store.session("a")?.error).toEqual(unkept);
  await daemon.send(
    daemon.state("a", { type: "session_error", ...error }, "protocol"),
    daemon.changed("a", "streaming", "error"),
  );
  expect(store.session("a")?.error).toEqual(error);
  await daemon.send(refused(), told());
  expect(store.session("a")?.error).toEqual(error);
  await daemon.send(daemon.changed("a", "error", "streaming"));
  expect(store.session("a")?.error).toBeNull();
  store.stop();
});

test("a session that no list has is read once, and nothing of it is lost meanwhile", async () => {
  const daemon = new FakeDaemon();
  const { store } = await openStore(daemon);
  let open: () => void = () => undefined;
  daemon.gate = new Promise((resolve) => void (open = resolve));
  const created = daemon.changed("new", "idle", "creating");
  daemon.put({ id: "new", status: "creating" });
  await daemon.send(created);
  await daemon.send(daemon.changed("new", "creating", "streaming"), daemon.text("new", "Hello"));
  expect(store.session("new")).toBeNull();
  daemon.gate = null;
  open();
  await settle();
  expect(store.session("new")).toMatchObject({ status: "streaming", position: 2 });
  expect(store.activity("new")?.text).toBe("Hello");
  expect(daemon.calls.filter((call) => call === "getSession new")).toHaveLength(1);
  store.stop();
});

test("events of a session that is gone are asked about once", async () => {
  const daemon = new FakeDaemon();
  const { store } = await openStore(daemon);
  for (let turn = 0; turn < 3; turn += 1) await daemon.send(daemon.changed("gone", "idle", "creating"));
  expect(daemon.calls.filter((call) => call === "getSession gone")).toHaveLength(1);
  expect(store.sessions()).toEqual([]);
  store.stop();
});

test("a journal that lost its end is read anew, and sessions that are not there any more are gone", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "completed" });
  daemon.put({ id: "b" });
  const { store } = await openStore(daemon);
  const release = store.threads.watch("a");
  await settle();
  daemon.sessions.delete("b");
  daemon.put({ id: "a", status: "streaming" });
  await daemon.send({ type: "reset" });
  expect(store.sessions()?.map(({ id, status }) => [id, status])).toEqual([["a", "streaming"]]);
  expect(daemon.calls.filter((call) => call === "getThread a")).toHaveLength(2);
  release();
  store.stop();
});

test("screens are told once per frame, and only of what they look at", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a" });
  daemon.put({ id: "b" });
  const { store, frame } = await openStore(daemon);
  frame();
  const told: string[] = [];
  for (const topic of [sessionTopic("a"), sessionTopic("b"), TOPICS.sessions])
    store.topics.subscribe(topic, () => told.push(topic));
  const list = store.sessions();
  const b = store.session("b");
  await daemon.send(daemon.changed("a", "streaming", "paused"), daemon.changed("a", "paused", "streaming"));
  expect(told).toEqual([]);
  frame();
  expect(told.toSorted()).toEqual([sessionTopic("a"), TOPICS.sessions]);
  expect(store.session("b")).toBe(b);
  expect(store.sessions()).not.toBe(list);
  expect(store.sessions()).toBe(store.sessions());
  store.stop();
});

test("a thread goes on from where it was loaded, however the stream and the answer overlap", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a" });
  const { store } = await openStore(daemon);
  const textOf = () => {
    const [item] = store.threads.view("a").thread.items;
    return item?.type === "assistant_message" ? item.text : null;
  };
  // In the thread already, and still to come on the stream.
  const early = daemon.text("a", "one ");
  let open: () => void = () => undefined;
  daemon.gate = new Promise((resolve) => void (open = resolve));
  const release = store.threads.watch("a");
  const late = daemon.text("a", "two ");
  await daemon.send(early, late);
  expect(store.threads.view("a").type).toBe("loading");
  open();
  daemon.gate = null;
  await settle();
  expect([store.threads.view("a").type, textOf()]).toEqual(["ready", "one two "]);
  await daemon.send(daemon.text("a", "three"));
  expect(textOf()).toBe("one two three");
  const view = store.threads.view("a");
  expect(store.threads.view("a")).toBe(view);
  release();
  store.stop();
});

test("a thread that could not be read is read when the daemon is back, and when somebody wants it", async () => {
  const daemon = new FakeDaemon();
  for (const id of ["a", "b"]) daemon.put({ id });
  const { store } = await openStore(daemon);
  const typeOf = (id: string) => store.threads.view(id).type;
  daemon.refusal = new UnreachableError("x", "ECONNREFUSED", null);
  const releases = ["a", "b"].map((id) => store.threads.watch(id));
  await settle();
  store.threads.retry("a");
  await settle();
  expect([typeOf("a"), typeOf("b")]).toEqual(["failed", "failed"]);
  daemon.refusal = null;
  store.threads.retry("a");
  await settle();
  expect([typeOf("a"), typeOf("b")]).toEqual(["ready", "failed"]);
  store.reconnect();
  await settle();
  expect([typeOf("a"), typeOf("b"), store.connection.type]).toEqual(["ready", "ready", "live"]);
  expect(daemon.calls.filter((call) => call.startsWith("getThread"))).toHaveLength(5);
  for (const release of releases) release();
  store.stop();
});

test("threads that nobody looks at are kept for a while, and not for ever", async () => {
  const daemon = new FakeDaemon();
  for (const id of ["a", "b", "c", "d", "e"]) daemon.put({ id });
  const { store } = await openStore(daemon);
  for (const id of ["a", "b", "c", "d", "e"]) {
    const release = store.threads.watch(id);
    await settle();
    release();
  }
  const kept = ["a", "b", "c", "d", "e"].filter((id) => store.threads.view(id).type === "ready");
  expect(kept).toEqual(["c", "d", "e"]);
  expect(threadTopic("a")).toBe("thread:a");
  store.stop();
});

test("a browser that is not signed in waits until somebody asks again", async () => {
  const daemon = new FakeDaemon();
  daemon.refusal = new SignalboxError({ code: "unauthorized", status: 401, detail: "no" });
  const { store } = await openStore(daemon);
  expect(store.connection.type).toBe("signed_out");
  const calls = daemon.calls.length;
  await new Promise((resolve) => void setTimeout(resolve, 300));
  expect(daemon.calls).toHaveLength(calls);
  daemon.refusal = null;
  store.reconnect();
  await settle();
  expect(store.connection.type).toBe("live");
  store.stop();
});

test("a daemon that does not answer is asked again", async () => {
  const daemon = new FakeDaemon();
  daemon.refusal = new UnreachableError("x", "ECONNREFUSED", null);
  const { store } = await openStore(daemon);
  expect([store.connection.type, store.sessions()]).toEqual(["connecting", null]);
  daemon.refusal = null;
  await expect.poll(() => store.connection.type).toBe("live");
  store.stop();
});

test("connecting anew goes on after the last event", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a" });
  const { store } = await openStore(daemon);
  await daemon.send(daemon.changed("a", "streaming", "paused"));
  daemon.streams.at(-1)?.query.onLost?.();
  expect(store.connection.type).toBe("reconnecting");
  store.reconnect();
  await settle();
  expect(daemon.streams.map(({ query }) => query.after)).toEqual([0, 1]);
  expect(store.connection.type).toBe("live");
  // The roster comes with a new beginning only.
  expect(daemon.calls.filter((call) => call === "getRoster")).toHaveLength(1);
  store.stop();
});

test("what no event tells is read again when the connection is back: deleted, renamed, and never read", async () => {
  const daemon = new FakeDaemon();
  for (const id of ["kept", "same", "deleted"]) daemon.put({ id, status: "stopped" });
  const { store } = await openStore(daemon);
  const same = store.session("same");
  daemon.refusal = new UnreachableError("x", "ECONNREFUSED", null);
  await daemon.send(daemon.changed("new", "idle", "creating"));
  expect(store.session("new")).toBe(null);
  daemon.refusal = null;
  daemon.sessions.delete("deleted");
  daemon.put({ id: "kept", status: "streaming", title: "Renamed" });
  daemon.put({ id: "new", status: "creating" });
  daemon.streams.at(-1)?.query.onLost?.();
  store.reconnect();
  await expect.poll(() => store.session("deleted")).toBe(null);
  // The status only changes with its event.
  expect(store.session("kept")).toMatchObject({ title: "Renamed", status: "stopped" });
  expect(store.session("same")).toBe(same);
  expect(store.session("new")?.status).toBe("creating");
  expect(store.sessions()?.length).toBe(3);
  store.stop();
});

test("an ask that a session was born with is told like one that is opened later", async () => {
  const daemon = new FakeDaemon();
  const { store } = await openStore(daemon);
  const told: string[] = [];
  store.onStateEvent(({ payload, timestampMs }, _before, after) => {
    const what = payload.type === "ask_opened" ? payload.askId : "";
    told.push(`${payload.type} ${what} ${after?.status} since ${timestampMs}`);
  });
  const ask = { askId: "q", ask: "tool", title: "ls", detail: "", needsHuman: true, openedAtMs: 5 } as const;
  const asks = [{ ...ask, tool: "sh", suggestions: [] }];
  daemon.put({ id: "a", status: "waiting_approval", statusSinceMs: 5, asks });
  const opened = daemon.state("a", { type: "ask_opened", ...ask });
  await daemon.send(opened);
  expect(told).toEqual(["state_changed  waiting_approval since 5", "ask_opened q waiting_approval since 5"]);
  store.stop();
});

test("that the agent itself waits is read, and holds until something happens", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "streaming" });
  const { store } = await openStore(daemon);
  const retry = { attempt: 2, atMs: 9_000 };
  daemon.details.set("a", { retry, background: 1 });
  store.want("a");
  await expect.poll(() => store.session("a")).toMatchObject({ retry, background: 1 });
  daemon.details.clear();
  await daemon.send(daemon.changed("a", "streaming", "streaming"));
  expect(store.session("a")).toMatchObject({ retry: null, background: 1 });
  store.stop();
});

test("the roster follows its events", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", harness: "codex" });
  const { store } = await openStore(daemon);
  const seat = (to: "connected" | "disconnected" | "none", from: "connected" | "none") =>
    daemon.state("a", { type: "roster_changed", seat: "a", from, to, reason: "test" });
  await daemon.send(seat("connected", "none"));
  expect(store.roster()).toEqual({
    connected: "a",
    position: 1,
    seats: [{ sessionId: "a", title: "", agent: "codex", status: "connected" }],
  });
  await daemon.send(seat("none", "connected"));
  expect(store.roster()).toMatchObject({ connected: null, seats: [{ agent: null, status: "none" }] });
  store.stop();
});

test("a timeline is read when somebody looks, and goes on by itself", async () => {
  const daemon = new FakeDaemon();
  daemon.changed("a", "idle", "creating");
  daemon.changed("a", "creating", "streaming");
  daemon.put({ id: "a", status: "streaming" });
  const { store } = await openStore(daemon);
  const release = store.timelines.watch("a");
  await settle();
  await daemon.send(daemon.changed("a", "streaming", "completed"));
  expect(store.timelines.view("a").changes.map(({ status, position }) => [status, position])).toEqual([
    ["idle", 0],
    ["creating", 1],
    ["streaming", 2],
    ["completed", 3],
  ]);
  release();
  store.stop();
});

const CERTAINTY = {
  type: "certainty_changed",
  certainty: "unknown",
  unknownSinceMs: 1_500,
  needsAttention: false,
  agent: { name: "claude", start: "7" },
} as const;

test("a screen that nobody understands has no spinner, and calls a person once it is still", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "streaming", addressee: "agent" });
  const { store } = await openStore(daemon);
  expect(store.session("a")?.ui).toMatchObject({ showSpinner: true, needsAttention: false });
  await daemon.send(daemon.state("a", CERTAINTY));
  expect(store.session("a")).toMatchObject({
    status: "streaming",
    certainty: "unknown",
    unknownSinceMs: 1_500,
    agent: { name: "claude", start: "7" },
    ui: { showSpinner: false, needsAttention: false },
  });
  await daemon.send(daemon.state("a", { ...CERTAINTY, needsAttention: true }));
  expect(store.session("a")?.ui).toMatchObject({ showSpinner: false, needsAttention: true });
  await daemon.send(daemon.state("a", { ...CERTAINTY, certainty: "known", unknownSinceMs: null }));
  expect(store.session("a")).toMatchObject({
    certainty: "known",
    ui: { showSpinner: true, needsAttention: false },
  });
  store.stop();
});

test("a terminal whose agent has ended is a shell, and what it did not take is there with its text", async () => {
  const daemon = new FakeDaemon();
  const queue = [{ messageId: "m1", status: "queued" as const }];
  const agent = { name: "claude", start: "7" };
  daemon.put({ id: "a", status: "streaming", addressee: "agent", agent, queue });
  const { store } = await openStore(daemon);
  daemon.put({ id: "a", status: "idle", returned: [{ messageId: "m1", text: "Tidy up" }] });
  await daemon.send(
    daemon.changed("a", "streaming", "idle"),
    daemon.state("a", { type: "message_status", messageId: "m1", status: "returned" }),
    daemon.state("a", { ...CERTAINTY, certainty: "known", unknownSinceMs: null, agent: null }),
  );
  await expect.poll(() => store.session("a")?.returned).toEqual([{ messageId: "m1", text: "Tidy up" }]);
  expect(store.session("a")).toMatchObject({
    status: "idle",
    agent: null,
    queue: [],
    // It can be stopped: its shell lives. And nobody takes a message.
    ui: { canCancel: true, inputEnabled: false, showSpinner: false },
  });
  await daemon.send(daemon.state("a", { type: "message_status", messageId: "m1", status: "failed" }));
  expect(store.session("a")?.returned).toEqual([]);
  store.stop();
});

test("how a turn ended is there with its end, and gone with the next", async () => {
  const daemon = new FakeDaemon();
  daemon.put({ id: "a", status: "streaming" });
  const { store } = await openStore(daemon);
  const end = {
    type: "state_changed",
    from: "streaming",
    to: "completed",
    fromPhase: null,
    toPhase: null,
    reason: "test",
    ending: "max_tokens",
    background: 1,
  } as const;
  await daemon.send(daemon.state("a", end));
  expect(store.session("a")).toMatchObject({ ending: "max_tokens", background: 1 });
  await daemon.send(daemon.changed("a", "completed", "streaming"));
  expect(store.session("a")?.ending).toBe(null);
  store.stop();
});
