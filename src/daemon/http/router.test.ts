import { expect, test } from "vitest";
import { createRouter } from "./router.js";

const ROUTES = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/v1/sessions" },
  { method: "POST", path: "/v1/sessions" },
  { method: "GET", path: "/v1/sessions/:id" },
  { method: "POST", path: "/v1/sessions/:id/asks/:askId" },
  { method: "POST", path: "/v1/roster/connect" },
  { method: "GET", path: "/v1/:any" },
] as const;
const match = createRouter(ROUTES);

test.each([
  ["GET", "/", { type: "found", route: ROUTES[0], params: {} }],
  ["POST", "/v1/sessions", { type: "found", route: ROUTES[2], params: {} }],
  ["GET", "/v1/sessions/a%2Fb%20c", { type: "found", route: ROUTES[3], params: { id: "a/b c" } }],
  ["POST", "/v1/sessions/s/asks/a", { type: "found", route: ROUTES[4], params: { id: "s", askId: "a" } }],
  ["GET", "/v1/roster", { type: "unknown" }],
  ["GET", "/v1/other", { type: "found", route: ROUTES[6], params: { any: "other" } }],
  ["DELETE", "/v1/sessions", { type: "wrong_method", allow: "GET, POST" }],
  ["GET", "/v1/sessions/%zz", { type: "malformed" }],
  ["GET", "/v1/sessions/", { type: "unknown" }],
  ["GET", "//", { type: "unknown" }],
  ["GET", "", { type: "unknown" }],
  ["get", "/v1/sessions", { type: "wrong_method", allow: "GET, POST" }],
  ["GET", "/v1/__proto__", { type: "found", route: ROUTES[6], params: { any: "__proto__" } }],
])("%s %s", (method, path, expected) => {
  expect(match(method, path)).toEqual(expected);
});

test("a route that could never be reached is an error", () => {
  const same = [
    { method: "GET", path: "/a/:x" },
    { method: "GET", path: "/a/:y" },
  ];
  expect(() => createRouter(same)).toThrow("two routes for GET /a/:y");
});
