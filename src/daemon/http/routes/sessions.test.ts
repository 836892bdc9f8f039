/** From the request on the wire to what the runtime is asked and what the client gets. */
import { describe, expect, test } from "vitest";
import { call, codeOf, CWD, flawsIn, openServer, post, startSession, valueOf } from "../test-server.test.js";

describe("create", () => {
  test("settings have their defaults, and the title comes from the prompt", async () => {
    const server = await openServer();
    const answer = await post(server, "/v1/sessions", {
      harness: "demo",
      cwd: `${CWD}/src/..`,
      prompt: "\n  Mend the roof  \nand the door",
    });
    const session = valueOf("createSession", answer) as { id: string };
    expect(answer.headers.location).toBe(`/v1/sessions/${session.id}`);
    expect(session).toMatchObject({
      title: "Mend the roof",
      cwd: CWD,
      model: null,
      status: "creating",
      enforcement: "enforced",
      queue: [{ messageId: "m2", status: "sending" }],
      asks: [],
      ui: { showSpinner: true },
    });
    expect(server.board.submissions).toEqual([
      {
        type: "create",
        settings: { harness: "demo", title: "Mend the roof", cwd: CWD, model: null, args: [], env: {} },
        text: "\n  Mend the roof  \nand the door",
        approve: "ask",
      },
    ]);
  });

  test.each([
    [{ harness: "nobody" }, ["harness"]],
    [{ cwd: "src" }, ["cwd"]],
    [{ cwd: "/no/such/folder" }, ["cwd"]],
    [{ cwd: `${CWD}/package.json` }, ["cwd"]],
    [{ cwd: `${CWD}\0` }, ["cwd"]],
    [{ args: ["a", "b\0"] }, ["args[1]"]],
    [{ env: { A: "\0" } }, ["env.A"]],
    [{ env: { "1A": "x" } }, ["env.1A"]],
    [{ model: "\0" }, ["model"]],
    [{ prompt: "" }, ["prompt"]],
    [{ prompt: 1, title: "" }, ["prompt", "title"]],
    [{ unknown: 1, other: 2 }, ["unknown", "other"]],
    [{ clientId: "" }, ["clientId"]],
  ])("%j is refused by the field's name, and nothing is asked of the runtime", async (change, paths) => {
    const server = await openServer();
    const answer = await post(server, "/v1/sessions", { harness: "demo", cwd: CWD, ...change });
    expect(flawsIn(answer)).toEqual(paths);
    expect(server.board.submissions).toEqual([]);
  });
});

describe("sessions", () => {
  test("are listed newest first, page by page, also when one goes in between", async () => {
    const server = await openServer();
    const { board } = server;
    for (const [id, atMs] of [
      ["a", 1],
      ["b", 3],
      ["c", 2],
      ["d", 3],
    ] as const)
      board.addSession(id, {}, atMs);
    const page = async (query: string) => {
      const value = valueOf("listSessions", await call(server, "GET", `/v1/sessions?${query}`));
      const { items, nextCursor } = value as { items: { id: string }[]; nextCursor?: string };
      return { ids: items.map((item) => item.id), nextCursor };
    };
    expect(await page("")).toEqual({ ids: ["d", "b", "c", "a"], nextCursor: undefined });
    const first = await page("limit=2");
    expect(first.ids).toEqual(["d", "b"]);
    board.records.delete("b");
    expect(await page(`limit=2&cursor=${first.nextCursor ?? ""}`)).toEqual({
      ids: ["c", "a"],
      nextCursor: undefined,
    });
  });

  test("are filtered by status and harness", async () => {
    const server = await openServer();
    server.board.addSession("a", { harness: "claude" });
    server.board.addSession("b");
    const started = await startSession(server);
    const ids = async (query: string) => {
      const value = valueOf("listSessions", await call(server, "GET", `/v1/sessions?${query}`));
      return (value as { items: { id: string }[] }).items.map((item) => item.id);
    };
    expect(await ids("status=creating")).toEqual([started]);
    expect(await ids("status=creating,%20idle&harness=demo")).toEqual([started, "b"]);
    expect(await ids("harness=claude")).toEqual(["a"]);
    expect(flawsIn(await call(server, "GET", "/v1/sessions?status=idle,busy"))).toEqual(["status"]);
    expect(flawsIn(await call(server, "GET", "/v1/sessions?cursor=!!"))).toEqual(["cursor"]);
    expect(flawsIn(await call(server, "GET", "/v1/sessions?limit=0"))).toEqual(["limit"]);
    expect(flawsIn(await call(server, "GET", "/v1/sessions?limit=2&limit=3"))).toEqual(["limit"]);
    expect(flawsIn(await call(server, "GET", "/v1/sessions?stauts=idle"))).toEqual(["stauts"]);
  });

  test("one has its whole state", async () => {
    const server = await openServer();
    const id = await startSession(server);
    const value = valueOf("getSession", await call(server, "GET", `/v1/sessions/${id}`));
    expect(value).toMatchObject({ id, state: server.board.session(id)?.state });
  });

  test("title and auto-approve change together, and the refused switch changes neither", async () => {
    const server = await openServer();
    const id = await startSession(server);
    const both = await post(
      server,
      `/v1/sessions/${id}`,
      { title: "New", autoApprove: true, clientId: "c" },
      "PATCH",
    );
    expect(valueOf("patchSession", both)).toMatchObject({ title: "New", autoApprove: true });
    expect([...server.board.receipts.keys()]).toEqual(["c/approve", "c/title"]);
    const none = await post(server, `/v1/sessions/${id}`, {}, "PATCH");
    expect(valueOf("patchSession", none)).toMatchObject({ title: "New" });
    server.board.refusal = { ok: false, code: "state_transition_invalid", message: "not now" };
    const refused = await post(server, `/v1/sessions/${id}`, { title: "Newer", autoApprove: false }, "PATCH");
    expect([refused.status, codeOf(refused)]).toEqual([409, "state_transition_invalid"]);
    expect(server.board.session(id)?.settings.title).toBe("New");
  });

  test("one is deleted, and is gone", async () => {
    const server = await openServer();
    const id = await startSession(server);
    valueOf("deleteSession", await call(server, "DELETE", `/v1/sessions/${id}`));
    const again = await call(server, "DELETE", `/v1/sessions/${id}`);
    expect([again.status, codeOf(again)]).toEqual([404, "session_not_found"]);
  });

  test.each([
    ["interrupt", "interrupt"],
    ["cancel", "cancel_session"],
    ["resume", "resume_session"],
    ["retry", "retry"],
    ["start", "start_session"],
  ] as const)("%s asks for %s", async (name, type) => {
    const server = await openServer();
    server.board.addSession("a b/c");
    const answer = await call(server, "POST", `/v1/sessions/a%20b%2Fc/${name}`);
    const request = { type: "request", sessionId: "a b/c", request: { type } };
    expect(server.board.submissions).toEqual([request]);
    // Only the start of an idle session is granted.
    expect(answer.status).toBe(name === "start" ? 200 : 409);
  });
});
