import { afterEach, describe, expect, test } from "vitest";
import {
  problem,
  ScriptedServer,
  sse,
  startEventStream,
  type Script,
} from "../../test/cli/scripted-server.js";
import { sessionDetail, sessionSummary, stateChanged, streamEvent } from "../../test/cli/wire-values.js";
import { API } from "../protocol/api.js";
import { createBareClient } from "./bare-client.js";
import { createClient, SignalboxError, UnreachableError } from "./index.js";
import { ROUTES } from "./routes.js";

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script);
  servers.push(server);
  return server;
}

test("the routes are those of the API table", () => {
  const table = Object.entries(API).map(([name, { method, path }]) => [name, `${method} ${path}`]);
  expect(ROUTES).toEqual(Object.fromEntries(table));
});

describe("a call", () => {
  test("puts the parameters into the path and the input into the body", async () => {
    const server = await serve(() => [202, { messageId: "m1", status: "queued", unknown: 1 }]);
    const client = createClient({ url: `${server.url}/`, token: "secret" });
    expect(await client.sendMessage("a/b c", { text: "hi" })).toEqual({ messageId: "m1", status: "queued" });
    const [exchange] = server.exchanges;
    expect({ line: exchange?.line, body: exchange?.body }).toEqual({
      line: "POST /v1/sessions/a%2Fb%20c/messages",
      body: { text: "hi" },
    });
    expect(exchange?.headers).toMatchObject({
      authorization: "Bearer secret",
      "content-type": "application/json",
    });
  });

  test("puts the input of a GET into the query, without what is absent", async () => {
    const session = sessionSummary();
    const server = await serve(() => [200, { items: [session], nextCursor: "c2" }]);
    const client = createClient({ url: server.url });
    const list = { items: [session], nextCursor: "c2" };
    expect(await client.listSessions({ status: "error", harness: undefined, limit: 5 })).toEqual(list);
    expect(await client.listSessions()).toEqual(list);
    expect(server.lines).toEqual(["GET /v1/sessions?status=error&limit=5", "GET /v1/sessions"]);
    expect(server.exchanges[0]?.headers).not.toHaveProperty("authorization");
  });

  test("with several parameters, with none, without a body to send and without one to get", async () => {
    const server = await serve(({ line }) => (line.startsWith("DELETE") ? [204] : [200, sessionSummary()]));
    const client = createClient({ url: server.url });
    expect(await client.answerAsk("s1", "a1", { decision: "approve" })).toEqual(sessionSummary());
    expect(await client.interrupt("s1")).toEqual(sessionSummary());
    await client.deleteSession("s1");
    expect(server.exchanges.map(({ line, body }) => [line, body])).toEqual([
      ["POST /v1/sessions/s1/asks/a1", { decision: "approve" }],
      ["POST /v1/sessions/s1/interrupt", {}],
      ["DELETE /v1/sessions/s1", undefined],
    ]);
  });

  test("of the health needs no more than a URL", async () => {
    const health = { ok: true, version: "1", pid: 3, uptimeMs: 5 };
    const server = await serve(() => [200, health]);
    expect(await createClient({ url: server.url }).health()).toEqual(health);
    expect(server.lines).toEqual(["GET /healthz"]);
  });

  test("uses the fetch that it is given", async () => {
    const client = createClient({
      url: "",
      fetch: (input) => Promise.resolve(Response.json({ url: `asked ${input}` })),
    });
    expect(await client.createLoginLink()).toEqual({ url: "asked /v1/login-links" });
  });
});

describe("a failure", () => {
  async function failure(script: Script): Promise<unknown> {
    const server = await serve(script);
    return createClient({ url: server.url, timeoutMs: 200 })
      .getSession("s1")
      .catch((error: unknown) => error);
  }

  const refused = (code: string, status: number, detail: string) =>
    new SignalboxError({ code, status, detail });

  test("that the daemon describes has its code, its words and its flaws", async () => {
    const errors = [{ path: "text", message: "too long" }];
    const [, document] = problem(400, "event_invalid", "bad input");
    const error = await failure(() => [400, { ...(document as object), errors: [...errors, "odd"] }]);
    expect(error).toBeInstanceOf(SignalboxError);
    expect(error).toEqual(
      new SignalboxError({ code: "event_invalid", status: 400, detail: "bad input", errors }),
    );
    expect((error as Error).message).toBe("bad input");
  });

  test("with a code of a newer daemon keeps that code", async () => {
    expect(await failure(() => problem(418, "teapot", "short and stout"))).toEqual(
      refused("teapot", 418, "short and stout"),
    );
  });

  test("of somebody in between has the status", async () => {
    const error = await failure((_exchange, response) => {
      response.writeHead(502).end("<h1>Bad gateway</h1>");
      return null;
    });
    expect(error).toEqual(refused("protocol_error", 502, "HTTP status 502"));
  });

  test("to answer in JSON, or as promised, says so", async () => {
    const noJson = await failure((_exchange, response) => {
      response.end("{");
      return null;
    });
    expect(noJson).toEqual(refused("protocol_error", 200, "the answer is not JSON"));
    const odd = await failure(() => [200, { ...sessionDetail(), status: "dancing" }]);
    expect(odd).toBeInstanceOf(SignalboxError);
    expect((odd as SignalboxError).detail).toMatch(/^getSession: status: Invalid option/);
  });

  test("to answer at all is an error of its own", async () => {
    const broken = await failure((_exchange, response) => {
      response.destroy();
      return null;
    });
    expect(broken).toBeInstanceOf(UnreachableError);
    expect(broken).toMatchObject({ code: "unreachable" });
    const silent = await failure(() => null);
    expect((silent as Error).message).toMatch(
      /^cannot reach http:\/\/127\.0\.0\.1:\d+: no answer within 200 ms$/,
    );
    const nobody = createClient({ url: "http://127.0.0.1:1" }).health();
    await expect(nobody).rejects.toThrow(/^cannot reach http:\/\/127\.0\.0\.1:1: /);
  });

  test("a redirect is not followed: it would take the token along", async () => {
    const error = await failure((_exchange, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      return null;
    });
    expect(error).toBeInstanceOf(UnreachableError);
  });

  test("what is no URL is refused at once", () => {
    expect(() => createClient({ url: "127.0.0.1:4747" })).toThrow(TypeError);
  });
});

test("a client without checks takes what comes", async () => {
  const server = await serve(() => [200, { status: "dancing" }]);
  expect(await createBareClient({ url: server.url }).getSession("s1")).toEqual({ status: "dancing" });
});

test("events tells when the connection stands, and hides that from the items", async () => {
  const server = await serve((_exchange, response) => {
    startEventStream(response);
    response.write(sse("agent:stream_event", streamEvent("status", {}), 1));
    return null;
  });
  let opened = 0;
  for await (const item of createClient({ url: server.url }).events({ onOpen: () => (opened += 1) })) {
    expect(item).toEqual({
      type: "event",
      channel: "stream",
      position: 1,
      event: streamEvent("status", {}),
    });
    break;
  }
  expect(opened).toBe(1);
});

test("follow gives the summary at first and whenever it changed, and every event", async () => {
  let status: "streaming" | "completed" = "streaming";
  const delta = streamEvent("text_delta", { text: "hi" });
  const phase = stateChanged("streaming", "streaming");
  const end = stateChanged("streaming", "completed");
  const server = await serve(({ line }, response) => {
    if (!line.startsWith("GET /v1/events")) return [200, sessionDetail({ status })];
    startEventStream(response);
    response.write(sse("agent:stream_event", delta, 1) + sse("agent:state_event", phase, 2));
    setTimeout(() => {
      status = "completed";
      response.write(sse("agent:state_event", end, 3));
    }, 50);
    return null;
  });
  const items: unknown[] = [];
  for await (const item of createClient({ url: server.url }).follow("s1", { after: 0 })) {
    items.push(item);
    if (item.type === "session" && item.session.status === "completed") break;
  }
  expect(items).toEqual([
    { type: "session", session: sessionDetail({ status: "streaming" }) },
    { type: "event", channel: "stream", position: 1, event: delta },
    { type: "event", channel: "state", position: 2, event: phase },
    { type: "event", channel: "state", position: 3, event: end },
    { type: "session", session: sessionDetail({ status: "completed" }) },
  ]);
  expect(server.lines).toEqual([
    "GET /v1/events?session=s1&after=0",
    "GET /v1/sessions/s1",
    "GET /v1/sessions/s1",
  ]);
});
