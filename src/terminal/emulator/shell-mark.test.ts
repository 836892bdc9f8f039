import { expect, test } from "vitest";
import { parseMark } from "./shell-mark.js";

test.each([
  ["A", { mark: "prompt", exitCode: null }],
  ["A;cl=m", { mark: "prompt", exitCode: null }],
  ["B", { mark: "input", exitCode: null }],
  ["C", { mark: "running", exitCode: null }],
  ["D", { mark: "finished", exitCode: null }],
  ["D;130", { mark: "finished", exitCode: 130 }],
  ["D;x", { mark: "finished", exitCode: null }],
  ["E;ls", null],
  ["P;Cwd=/", null],
  ["", null],
])("%j", (data, mark) => {
  expect(parseMark(data)).toEqual(mark);
});
