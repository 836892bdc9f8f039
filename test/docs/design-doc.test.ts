/** The list of the page's tokens and parts is the one that is in use. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../tidy/root.js";

const WEB = join(ROOT, "src/web");
const doc = readFileSync(join(ROOT, "docs/design.md"), "utf8");
const tokens = readFileSync(join(WEB, "style/tokens.css"), "utf8");
const files = readdirSync(WEB, { recursive: true, encoding: "utf8" });

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].toSorted();
}

test("every token is in the list, and nothing else is", () => {
  expect(matches(doc, /^\| `(--[a-z0-9-]+)`/gm)).toEqual(matches(tokens, /^ +(--[a-z0-9-]+):/gm));
});

test("every token is used", () => {
  const text = files
    .filter((path) => /\.(css|tsx?)$/.test(path))
    .map((path) => readFileSync(join(WEB, path), "utf8"))
    .join("\n");
  expect(matches(tokens, /^ +(--[a-z0-9-]+):/gm).filter((name) => !text.includes(`var(${name}`))).toEqual([]);
});

test("every part is in the list", () => {
  const parts = readdirSync(join(WEB, "parts")).flatMap((name) => /^(.+)\.tsx?$/.exec(name)?.[1] ?? []);
  expect(parts.filter((part) => !doc.includes(`| \`${part}\``))).toEqual([]);
});
