import { expect, test } from "vitest";
import { terminalSize } from "./terminal-size.js";

test.each([
  [100, 40, { cols: 100, rows: 40 }],
  [0, 0, { cols: 80, rows: 24 }],
])("a terminal of %i × %i", (columns, rows, size) => {
  expect(terminalSize({ columns, rows })).toEqual(size);
});
