/** What a browser loads before anything is shown. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "../tidy/root.js";
import { openPage } from "./page-under-test.js";

const INITIAL_BYTES_MAX = 250_000;
const PAGE = join(ROOT, "dist/web");

test("the first load is small, and the terminal is no part of it", async () => {
  const html = readFileSync(join(PAGE, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(1);
  const loaded: string[] = [];
  const { page, daemon } = await openPage({ path: "/inbox" });
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/assets/") && /\.(js|css)$/.test(pathname)) loaded.push(pathname.slice(1));
  });
  await page.goto(`${daemon.ready.url}/`);
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
  expect(loaded.toSorted()).toEqual(named.toSorted());
  expect(loaded.filter((path) => path.includes("terminal"))).toEqual([]);
  const bytes = [html, ...named.map((path) => readFileSync(join(PAGE, path)))]
    .map((content) => gzipSync(content, { level: 9 }).length)
    .reduce((sum, length) => sum + length, 0);
  console.log(`the first load: ${(bytes / 1000).toFixed(1)} kB in gzip`);
  expect(bytes).toBeLessThan(INITIAL_BYTES_MAX);
});

test("assets are kept by the browser, the page itself is asked for again", async () => {
  const { page, daemon } = await openPage();
  const headers = await page.evaluate(async () => {
    const script = document.querySelector<HTMLScriptElement>("script[src]")?.src ?? "";
    const answers = await Promise.all([fetch("/"), fetch(script)]);
    return answers.map((answer) => [
      answer.headers.get("cache-control"),
      answer.headers.get("content-encoding"),
      answer.headers.get("content-security-policy")?.includes("unsafe"),
    ]);
  });
  expect(headers).toEqual([
    ["no-store", "br", false],
    ["public, max-age=31536000, immutable", "br", false],
  ]);
  expect(daemon.isRunning).toBe(true);
});
