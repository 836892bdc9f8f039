import { expect, test } from "vitest";
import { addRequest, noRequests, PENDING_REQUESTS_MAX, takeRequest } from "./pending-requests.js";

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
