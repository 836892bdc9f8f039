import { describe, expect, test } from "vitest";
import {
  call,
  codeOf,
  flawsIn,
  openServer,
  post,
  startSession,
  valueOf,
  type TestServer,
} from "../test-server.test.js";

describe("messages", () => {
  test("are accepted with an id and a status", async () => {
    const server = await openServer();
    const id = await startSession(server);
    const sent = await post(server, `/v1/sessions/${id}/messages`, { text: "More" });
    expect(valueOf("sendMessage", sent)).toEqual({ messageId: "m3", status: "queued" });
    const routed = await post(server, "/v1/messages", { text: "Look", sessionId: id });
    expect(valueOf("routeMessage", routed)).toEqual({ sessionId: id, messageId: "m4", status: "queued" });
  });

  test("files become references, one to a line", async () => {
    const server = await openServer();
    await startSession(server);
    const files = [
      { path: "src/a.ts" },
      { path: "src/b.ts", startLine: 5 },
      { path: "src/c.ts", startLine: 1, endLine: 5 },
      { path: "src/d.ts", startLine: 7, endLine: 7 },
    ];
    valueOf("routeMessage", await post(server, "/v1/messages", { text: "Look", files }));
    const text = "Look\n@src/a.ts\n@src/b.ts#L5\n@src/c.ts#L1-L5\n@src/d.ts#L7";
    expect(server.board.submissions.at(-1)).toEqual({ type: "route", sessionId: null, text });
  });

  test("a fallback is asked for as it is", async () => {
    const server = await openServer();
    const id = await startSession(server);
    valueOf(
      "routeMessage",
      await post(server, "/v1/messages", { text: "Look", sessionId: id, fallback: true }),
    );
    const submission = { type: "route", sessionId: id, text: "Look", fallback: true };
    expect(server.board.submissions.at(-1)).toEqual(submission);
    const wrong = { text: "Look", sessionId: id, fallback: "yes" };
    expect(flawsIn(await post(server, "/v1/messages", wrong))).toEqual(["fallback"]);
  });

  test.each([
    [{ path: "a\n@b" }, "files[1].path"],
    [{ path: "a", startLine: 2, endLine: 1 }, "files[1].endLine"],
    [{ path: "a", endLine: 1 }, "files[1].startLine"],
    [{ path: "a", startLine: 0 }, "files[1].startLine"],
  ])("the reference %j is refused", async (file, path) => {
    const server = await openServer();
    expect(flawsIn(await post(server, "/v1/messages", { text: "x", files: [{ path: "b" }, file] }))).toEqual([
      path,
    ]);
  });

  test.each([
    [
      { text: "More", force: true },
      { type: "send_message", text: "More", unlessAsked: false, force: true },
    ],
    [
      { resend: "m7", force: true },
      { type: "resend_message", messageId: "m7", unlessAsked: false, force: true },
    ],
  ])("%j is asked of the session as it is", async (body, request) => {
    const server = await openServer();
    const id = await startSession(server);
    server.board.refusal = { ok: false, code: "no_agent", message: "no agent" };
    const answer = await post(server, `/v1/sessions/${id}/messages`, body);
    expect([answer.status, codeOf(answer)]).toEqual([409, "no_agent"]);
    expect(server.board.submissions.at(-1)).toEqual({ type: "request", sessionId: id, request });
  });

  test.each([{}, { text: "a", resend: "m1" }])("%j is neither a text nor one to resend", async (body) => {
    const server = await openServer();
    const id = await startSession(server);
    expect(flawsIn(await post(server, `/v1/sessions/${id}/messages`, body))).toEqual(["text"]);
  });

  test("one that came back is dropped", async () => {
    const server = await openServer();
    const id = await startSession(server);
    server.board.refusal = { ok: true, value: { sessionId: id } };
    const answer = await call(server, "DELETE", `/v1/sessions/${id}/messages/m7`);
    expect(valueOf("dropMessage", answer)).toBe(null);
    const request = { type: "drop_message", messageId: "m7" };
    expect(server.board.submissions.at(-1)).toEqual({ type: "request", sessionId: id, request });
  });

  test("without an agent there is nobody to get it", async () => {
    const server = await openServer();
    const answer = await post(server, "/v1/messages", { text: "x" });
    expect([answer.status, codeOf(answer)]).toEqual([409, "no_active_agent"]);
  });
});

describe("asks", () => {
  async function withAsk(server: TestServer, askId = "ask-1"): Promise<string> {
    const id = await startSession(server);
    server.board.happen(
      id,
      { type: "session_created" },
      { type: "api_req_started" },
      { type: "ask:tool", askId },
      { type: "permission_resolved", askId, verdict: "ask" },
    );
    return id;
  }

  test("of all sessions are listed, oldest first", async () => {
    const server = await openServer();
    const first = await withAsk(server);
    const second = await withAsk(server);
    const detail = (title: string, openedAtMs: number) => ({ title, detail: "d", openedAtMs, tool: null });
    for (const [id, title, atMs] of [
      [first, "later", 20],
      [second, "earlier", 10],
    ] as const) {
      const record = server.board.session(id);
      if (record) server.board.records.set(id, { ...record, askDetails: { "ask-1": detail(title, atMs) } });
    }
    const { items } = valueOf("listAsks", await call(server, "GET", "/v1/asks")) as { items: unknown[] };
    expect(items).toMatchObject([
      { sessionId: second, askId: "ask-1", ask: "tool", title: "earlier", needsHuman: true, openedAtMs: 10 },
      { sessionId: first, askId: "ask-1", ask: "tool", title: "later", needsHuman: true, openedAtMs: 20 },
    ]);
  });

  test("what has changed since the last list is in the next one", async () => {
    const server = await openServer();
    const id = await withAsk(server);
    const ask = { title: "May I?", detail: "d".repeat(5_000), openedAtMs: 1, tool: null };
    const show = (title: string): void => {
      const record = server.board.session(id);
      if (!record) throw new Error("there is no such session");
      server.board.records.set(id, {
        ...record,
        settings: { ...record.settings, title },
        askDetails: { "ask-1": ask },
      });
    };
    const listed = async (): Promise<unknown> => valueOf("listAsks", await call(server, "GET", "/v1/asks"));
    show("Tidy");
    expect(await listed()).toMatchObject({ items: [{ sessionTitle: "Tidy", detail: ask.detail }] });
    show("Tidy up");
    expect(await listed()).toMatchObject({ items: [{ sessionTitle: "Tidy up", detail: ask.detail }] });
  });

  test("an approval and a rejection reach the runtime as they are", async () => {
    const server = await openServer();
    const id = await withAsk(server);
    const path = `/v1/sessions/${id}/asks/ask-1`;
    const approved = await post(server, path, { decision: "approve", scope: "session" });
    expect(valueOf("answerAsk", approved)).toMatchObject({ id, asks: [] });
    const stale = await post(server, path, { decision: "reject", message: "No" });
    expect([stale.status, codeOf(stale)]).toEqual([409, "ask_stale"]);
    expect(
      server.board.submissions.slice(1).map((submission) => "request" in submission && submission.request),
    ).toEqual([
      { type: "approve_action", askId: "ask-1", scope: "session" },
      { type: "reject_action", askId: "ask-1", text: "No" },
    ]);
  });

  test("what an answer could not say is refused", async () => {
    const server = await openServer();
    const answer = (body: object) => post(server, "/v1/sessions/x/asks/y", body);
    expect(flawsIn(await answer({ decision: "approve", message: "but" }))).toEqual(["message"]);
    expect(flawsIn(await answer({ decision: "reject", scope: "always" }))).toEqual(["scope"]);
    expect(flawsIn(await answer({ decision: "maybe" }))).toEqual(["decision"]);
  });

  test("several are answered in order, each with its own outcome, once", async () => {
    const server = await openServer();
    const id = await withAsk(server);
    const body = {
      answers: [
        { sessionId: id, askId: "ask-1", decision: "approve" },
        { sessionId: id, askId: "ask-1", decision: "reject" },
        { sessionId: "none", askId: "x", decision: "approve" },
      ],
      clientId: "c",
    };
    const first = await post(server, "/v1/asks", body);
    expect(valueOf("answerAsks", first)).toMatchObject({
      items: [
        { sessionId: id, askId: "ask-1", ok: true },
        { sessionId: id, askId: "ask-1", ok: false, code: "ask_stale" },
        { sessionId: "none", askId: "x", ok: false, code: "session_not_found" },
      ],
    });
    const asked = server.board.submissions.length;
    expect((await post(server, "/v1/asks", body)).text).toBe(first.text);
    expect(server.board.submissions).toHaveLength(asked);
  });
});
