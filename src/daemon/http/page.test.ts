import { Script } from "node:vm";
import { expect, test } from "vitest";
import { PAGE_CSS } from "./page-css.js";
import { PAGE_HTML } from "./page-html.js";
import { PAGE_JS } from "./page-js.js";
import { call, openServer } from "./test-server.test.js";

test("is served with its script and style, to anybody", async () => {
  const server = await openServer();
  for (const [path, type, text] of [
    ["/", "text/html; charset=utf-8", PAGE_HTML],
    ["/page.js", "text/javascript; charset=utf-8", PAGE_JS],
    ["/page.css", "text/css; charset=utf-8", PAGE_CSS],
  ] as const) {
    const answer = await call(server, "GET", path, { token: null });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([200, type, text]);
  }
});

test("the script is a script, and small", () => {
  expect(new Script(PAGE_JS)).toBeInstanceOf(Script);
  expect(PAGE_JS.split("\n").length).toBeLessThanOrEqual(201);
});

test("text never becomes HTML, and nothing is inline that the policy forbids", () => {
  for (const forbidden of [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "srcdoc",
  ])
    expect([forbidden, PAGE_JS.includes(forbidden)]).toEqual([forbidden, false]);
  expect(PAGE_HTML).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
});

test("every element that the script looks for is in the page", () => {
  const wanted = new Set([...PAGE_JS.matchAll(/\$\("([\w-]+)"\)/g)].map(([, id]) => id));
  expect(wanted.size).toBeGreaterThan(8);
  expect([...wanted].filter((id) => !PAGE_HTML.includes(`id="${id ?? ""}"`))).toEqual([]);
});
