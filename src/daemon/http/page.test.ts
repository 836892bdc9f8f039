import { expect, test } from "vitest";
import { call, codeOf, openServer, PAGE, temporaryFolder } from "./test-server.test.js";

const FOREVER = "public, max-age=31536000, immutable";

test("every view is the same page, for anybody, and is never kept", async () => {
  const server = await openServer();
  for (const path of ["/", "/s/some%20session", "/s/x/changes", "/inbox", "/new"]) {
    const { status, headers, text } = await call(server, "GET", path, { token: null });
    expect([path, status, headers["content-type"], headers["cache-control"], text]).toEqual([
      path,
      200,
      "text/html; charset=utf-8",
      "no-store",
      PAGE["index.html"],
    ]);
  }
});

test.each([
  ["br, gzip", "br", "script in brotli"],
  ["gzip, deflate", "gzip", "script in gzip"],
  ["br;q=0, gzip;q=0.5", "gzip", "script in gzip"],
  ["br;q=0,gzip; q=0.0", undefined, "script"],
  ["identity", undefined, "script"],
])(
  "with accept-encoding %j a script comes as %s, and may be kept for ever",
  async (accepted, encoding, text) => {
    const server = await openServer();
    const headers = { "accept-encoding": accepted };
    const answer = await call(server, "GET", "/assets/page-1a2b.js", { token: null, headers });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect([
      answer.headers["content-type"],
      answer.headers["content-encoding"],
      answer.headers["cache-control"],
      answer.headers.vary,
    ]).toEqual(["text/javascript; charset=utf-8", encoding, FOREVER, "accept-encoding"]);
  },
);

test("what was not compressed comes as it is", async () => {
  const server = await openServer();
  const headers = { "accept-encoding": "br" };
  const answer = await call(server, "GET", "/assets/page-3c4d.css", { headers });
  expect([answer.status, answer.headers["content-encoding"], answer.text]).toEqual([200, undefined, "style"]);
});

test.each([
  "none.js",
  "..%2Findex.html",
  "%2E%2E%2Findex.html",
  "notes.txt",
  "page-1a2b.js.br",
  "x%00.js",
  ".",
])("there is no asset %s", async (name) => {
  const server = await openServer();
  const answer = await call(server, "GET", `/assets/${name}`);
  expect([answer.status, codeOf(answer)]).toEqual([404, "not_found"]);
});

test("a page that was not built says so", async () => {
  const server = await openServer({ pageDir: temporaryFolder() });
  const answer = await call(server, "GET", "/");
  expect([answer.status, answer.text]).toEqual([503, "The page was not built. Run `npm run build`.\n"]);
});
