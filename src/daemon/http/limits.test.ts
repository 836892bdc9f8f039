/** What is too large, too strange or not JSON at all. */
import { connect } from "node:net";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { BODY_SIZE_BYTES_MAX } from "../../protocol/api-schemas.js";
import { problemSchema } from "../../protocol/problem.js";
import { Log } from "../log/log.js";
import { createRedact } from "../log/redact.js";
import { call, codeOf, flawsIn, openServer, post, TOKEN, type TestServer } from "./test-server.test.js";

/** All that the server says on one connection until it closes it. */
async function talk(server: TestServer, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  // The server may close while we still write.
  socket.on("error", () => undefined);
  for (const piece of pieces) socket.write(piece);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function head(server: TestServer, method: string, path: string, ...more: readonly string[]): string {
  const lines = [`host: 127.0.0.1:${server.port}`, `authorization: Bearer ${TOKEN}`, ...more];
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

describe("bodies", () => {
  test("of exactly one mebibyte are read, one byte more is too large", async () => {
    const server = await openServer();
    const bodyOf = (sizeBytes: number) => `{"text":"${"x".repeat(sizeBytes - 11)}"}`;
    expect(Buffer.byteLength(bodyOf(100))).toBe(100);
    const largest = await call(server, "POST", "/v1/messages", { body: bodyOf(BODY_SIZE_BYTES_MAX) });
    expect(flawsIn(largest)).toEqual(["text"]);
    const larger = await call(server, "POST", "/v1/messages", { body: bodyOf(BODY_SIZE_BYTES_MAX + 1) });
    expect([larger.status, codeOf(larger), larger.headers.connection]).toEqual([
      413,
      "payload_too_large",
      "close",
    ]);
    expect(server.board.submissions).toEqual([]);
  });

  test("in chunks without an end are cut off, and the client still reads why", async () => {
    const server = await openServer();
    const start = head(
      server,
      "POST",
      "/v1/messages",
      "content-type: application/json",
      "transfer-encoding: chunked",
    );
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const answer = await talk(server, start, ...Array.from({ length: 400 }, () => chunk));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  });

  test("are not even asked for when they would be too large", async () => {
    const server = await openServer();
    const start = head(
      server,
      "POST",
      "/v1/messages",
      "content-type: application/json",
      `content-length: ${BODY_SIZE_BYTES_MAX + 1}`,
      "expect: 100-continue",
    );
    const answer = await talk(server, start);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).not.toContain("100 Continue");
  });

  test("are asked for when they are welcome", async () => {
    const server = await openServer();
    const body = '{"text":"x"}';
    const start = head(
      server,
      "POST",
      "/v1/messages",
      "content-type: application/json",
      `content-length: ${body.length}`,
      "expect: 100-continue",
      "connection: close",
    );
    expect(await talk(server, start, body)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 409 /);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/jsonp",
  ])("of type %s are refused", async (type) => {
    const server = await openServer();
    const request = { body: '{"text":"x"}', headers: { "content-type": type } };
    const answer = await call(server, "POST", "/v1/messages", request);
    expect([answer.status, codeOf(answer)]).toEqual([415, "event_invalid"]);
  });

  test("may say that they are UTF-8, or be left out where nothing is needed", async () => {
    const server = await openServer();
    const headers = { "content-type": "Application/JSON; charset=UTF-8" };
    const answer = await call(server, "POST", "/v1/messages", { body: '{"text":"x"}', headers });
    expect(codeOf(answer)).toBe("no_active_agent");
    expect(codeOf(await call(server, "POST", "/v1/sessions/x/interrupt"))).toBe("session_not_found");
  });

  test.each([
    ['{"text":}', "the request: not valid JSON at position 8"],
    ["{", "the request: not valid JSON at position 1"],
    [Buffer.from([0x22, 0xff, 0x22]), "the request: not valid UTF-8"],
    [Buffer.from([0x7b, 0xc0, 0x80, 0x7d]), "the request: not valid UTF-8"],
    ["[]", "the request: Invalid input: expected object, received array"],
    ["null", "the request: Invalid input: expected object, received null"],
    ["[".repeat(100_000), "the request: not valid JSON at position 100000"],
  ])("%j: says what is wrong, and where", async (body, detail) => {
    const server = await openServer();
    const answer = await call(server, "POST", "/v1/messages", { body });
    expect(problemSchema.parse(JSON.parse(answer.text))).toMatchObject({
      status: 400,
      code: "event_invalid",
      detail,
    });
  });

  test("deep nesting is refused like any other wrong field", async () => {
    const server = await openServer();
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const answer = await call(server, "POST", "/v1/messages", { body: `{"text":"x","files":${deep}}` });
    expect(flawsIn(answer)).toEqual(["files[0]"]);
  });

  test("the fields that a prototype has are no fields", async () => {
    const server = await openServer();
    const body = '{"text":"x","__proto__":{"sessionId":"y"},"constructor":1}';
    const answer = await call(server, "POST", "/v1/messages", { body });
    expect(flawsIn(answer)).toEqual(expect.arrayContaining(["constructor"]));
    expect(server.board.submissions).toEqual([]);
  });

  test("many wrong fields are named, but not without end", async () => {
    const server = await openServer();
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, index]));
    expect(flawsIn(await post(server, "/v1/messages", body))).toHaveLength(20);
  });
});

describe("paths and methods", () => {
  test("what is not there is 404, and a wrong method says which are right", async () => {
    const server = await openServer();
    for (const path of [
      "/v1",
      "/v1/",
      "/v1/sessions/",
      "/v1/sessions//events",
      "/v1/sessions/a/b/c",
      "/v2/sessions",
    ]) {
      const answer = await call(server, "GET", path);
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, "not_found"]);
    }
    const wrong = await call(server, "PUT", "/v1/sessions/x");
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "GET, PATCH, DELETE"]);
    const malformed = await call(server, "GET", "/v1/sessions/%ff");
    expect([malformed.status, codeOf(malformed)]).toEqual([400, "event_invalid"]);
  });

  test("headers without end are refused", async () => {
    const server = await openServer();
    const answer = await talk(server, head(server, "GET", "/healthz", `x: ${"y".repeat(20_000)}`));
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });
});

test("what went wrong inside is logged under an id, without secrets, and not told", async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = new Log({ level: "error", redact: createRedact({ MY_TOKEN: "hush-hush-hush" }), stream });
  const server = await openServer({ log });
  server.board.submit = () => Promise.reject(new Error("broken by hush-hush-hush"));
  const answer = await post(server, "/v1/messages", { text: "x" });
  const { detail } = problemSchema.parse(JSON.parse(answer.text));
  const id = /under ([0-9a-f-]{36})\.$/.exec(detail)?.[1];
  expect([answer.status, codeOf(answer), answer.text.includes("broken")]).toEqual([500, "internal", false]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "error", id, method: "POST", path: "/v1/messages", error: { message: "broken by [redacted]" } },
  ]);
  expect(lines.join("")).not.toContain("hush");
});

test("a full disk is 507, wherever it shows", async () => {
  const server = await openServer();
  const fault = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  server.board.submit = () => Promise.reject(fault);
  const answer = await post(server, "/v1/messages", { text: "x" });
  expect([answer.status, codeOf(answer), answer.headers["retry-after"]]).toEqual([507, "internal", "5"]);
});

test("refusals tell no secrets", async () => {
  const server = await openServer();
  server.board.refusal = { ok: false, code: "harness_failed", message: "said: password=hunter2" };
  const answer = await post(server, "/v1/messages", { text: "x" });
  expect(JSON.parse(answer.text)).toMatchObject({ status: 502, detail: "said: password=[redacted]" });
});
