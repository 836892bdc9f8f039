import { expect, test } from "vitest";
import { read, trackedFiles } from "./repository.js";
import { tracesIn } from "./traces.js";

test("no file knows the machine it was written on", () => {
  expect(trackedFiles().map(read).flatMap(tracesIn)).toEqual([]);
});

test("package-lock.json does not say where packages were fetched", () => {
  expect(read("package-lock.json").text).not.toContain('"resolved"');
});

test("traces are found", () => {
  const lines = [
    `cd ${["", "work", "main"].join("/")}`,
    `open("${["", "home", "ann", "notes"].join("/")}")`,
    `see https://${["registry", "npmjs", "org"].join(".")}/x`,
    ["registry", "https://example.com"].join("="),
    "src/home/page.ts, ./work/x, https://example.com/home/ann, a registry.ts, /usr/bin/env",
  ];
  expect(tracesIn({ path: "a", text: lines.join("\n") })).toEqual([
    "a:1 has a path of somebody's machine",
    "a:2 has a path of somebody's machine",
    "a:3 has the host of a package registry",
    "a:4 has a setting for a package registry",
  ]);
});
