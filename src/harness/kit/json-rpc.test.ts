import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addRequest,
  errorResponse,
  METHOD_NOT_FOUND,
  noRequests,
  notification,
  parseMessage,
  PENDING_REQUESTS_MAX,
  request,
  response,
  takeRequest,
  type RpcMessage,
} from "./json-rpc.js";

const PARSED: readonly (readonly [string, RpcMessage | null])[] = [
  ['{"id":1,"method":"m","params":{"a":1}}', { type: "request", id: 1, method: "m", params: { a: 1 } }],
  ['{"jsonrpc":"2.0","id":"x","method":"m"}\r', { type: "request", id: "x", method: "m", params: null }],
  ['{"id":0,"method":"m","params":[]}', { type: "request", id: 0, method: "m", params: [] }],
  ['{"method":"m","params":{}}', { type: "notification", method: "m", params: {} }],
  ['{"method":"m"}', { type: "notification", method: "m", params: null }],
  ['{"id":1,"result":null}', { type: "response", id: 1, result: null }],
  ['{"id":"1","result":{"a":[]},"error":null}', { type: "response", id: "1", result: { a: [] } }],
  [
    '{"id":1,"error":{"code":-32000,"message":"no","data":{"why":"x"}}}',
    { type: "error", id: 1, error: { code: -32_000, message: "no", data: { why: "x" } } },
  ],
  [
    '{"id":null,"error":{"code":-32700,"message":"no"}}',
    { type: "error", id: null, error: { code: -32_700, message: "no", data: null } },
  ],
  [
    '{"id":1,"error":"broken"}',
    { type: "error", id: 1, error: { code: -32_603, message: '"broken"', data: null } },
  ],
  [
    '{"id":1,"error":{"why":1}}',
    { type: "error", id: 1, error: { code: -32_603, message: '{"why":1}', data: null } },
  ],
  ["", null],
  ["not json", null],
  ["null", null],
  ["[]", null],
  ['"text"', null],
  ["{}", null],
  ['{"id":1}', null],
  ['{"result":1}', null],
  ['{"id":null,"result":1}', null],
  ['{"error":{"code":1,"message":"x"}}', null],
  ['{"id":1,"method":2}', null],
  ['{"id":true,"method":"m"}', null],
  ['{"id":null,"method":"m"}', null],
  ['{"id":{},"method":"m"}', null],
];

test.each(PARSED)("%s", (line, message) => {
  expect(parseMessage(line)).toEqual(message);
});

test("what is written is one line, and is read as it was meant", () => {
  const text = 'a\nb\r "c" \u2028 \\';
  const lines = [
    request(1, "m", { text }),
    notification("n", { text }),
    notification("n", null),
    response("x", { text }),
    errorResponse(2, METHOD_NOT_FOUND, text),
  ];
  for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(lines.map((line) => parseMessage(line.trimEnd()))).toEqual([
    { type: "request", id: 1, method: "m", params: { text } },
    { type: "notification", method: "n", params: { text } },
    { type: "notification", method: "n", params: null },
    { type: "response", id: "x", result: { text } },
    { type: "error", id: 2, error: { code: METHOD_NOT_FOUND, message: text, data: null } },
  ]);
  expect(notification("n", null)).toBe('{"jsonrpc":"2.0","method":"n"}\n');
});

test("no line makes it throw", () => {
  const loose = fc.record(
    {
      id: fc.jsonValue(),
      method: fc.oneof(fc.string(), fc.jsonValue()),
      params: fc.jsonValue(),
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    loose.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(line, (text) => {
      parseMessage(text);
    }),
  );
});

test("a request is taken once, by its response", () => {
  const first = addRequest(noRequests, "initialize");
  const second = addRequest(first.requests, "prompt", { turn: 1 });
  expect(second).toEqual({
    id: 2,
    requests: {
      next: 3,
      pending: { 1: { method: "initialize", note: null }, 2: { method: "prompt", note: { turn: 1 } } },
    },
  });
  const taken = takeRequest(second.requests, "2");
  expect(taken).toEqual({
    request: { method: "prompt", note: { turn: 1 } },
    requests: { next: 3, pending: { 1: { method: "initialize", note: null } } },
  });
  expect(takeRequest(taken.requests, 2)).toEqual({ request: null, requests: taken.requests });
});

test.each([0, -1, 1.5, "", "next", "__proto__", "constructor", null])("none of ours: %j", (id) => {
  const { requests } = addRequest(noRequests, "m");
  expect(takeRequest(requests, id)).toEqual({ request: null, requests });
});

test("with too many unanswered, the oldest is forgotten", () => {
  let requests = noRequests;
  for (let n = 0; n < PENDING_REQUESTS_MAX + 2; n += 1) ({ requests } = addRequest(requests, "m"));
  expect(Object.keys(requests.pending)).toHaveLength(PENDING_REQUESTS_MAX);
  expect(takeRequest(requests, 2).request).toBeNull();
  expect(takeRequest(requests, 3).request).toEqual({ method: "m", note: null });
  expect(requests.next).toBe(PENDING_REQUESTS_MAX + 3);
});
