import { expect, test } from "vitest";
import { ConsoleKeys } from "./console-keys.js";

test("each key does what the line says, with a new link each time", async () => {
  const said: string[] = [];
  const browsed: string[] = [];
  let links = 0;
  let hasBrowser = true;
  const keys = new ConsoleKeys({
    client: { createLoginLink: () => Promise.resolve({ url: `http://x/login?code=${(links += 1)}` }) },
    say: (text) => said.push(text),
    browse: (url) => {
      browsed.push(url);
      return Promise.resolve(hasBrowser);
    },
    quit: () => said.push("quit"),
  });
  await keys.greet(true);
  await keys.press("l");
  await keys.press("o");
  hasBrowser = false;
  await keys.press("o");
  await keys.press("x");
  await keys.press("lll\r");
  await keys.press("q");
  expect(said).toEqual([
    "Open http://x/login?code=1 (works once, within an hour). Keys: o open, l new link, q quit",
    "Open http://x/login?code=2 (works once, within an hour). Keys: o open, l new link, q quit",
    "A browser was asked to open the page.",
    "No browser here. Open http://x/login?code=4 (works once, within an hour).",
    "Keys: o open, l new link, q quit",
    "quit",
  ]);
  expect(browsed).toEqual(["http://x/login?code=3", "http://x/login?code=4"]);
});
