import headless from "@xterm/headless";
import { expect, test } from "vitest";
import type { Screen } from "./screen.js";
import { screenOf } from "./screen-of.js";

async function shown(data: string): Promise<Screen> {
  const terminal = new headless.Terminal({ cols: 12, rows: 4, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(data, resolve);
  });
  const screen = screenOf(terminal, { title: "t", cursorVisible: false });
  terminal.dispose();
  return screen;
}

test("the visible rows, without what is blank at their ends", async () => {
  expect(await shown("one  \r\ntwo\r\nthree\r\nfour\r\n  five \u00a0")).toEqual({
    rows: ["two", "three", "four", "  five"],
    cols: 12,
    cursor: { row: 3, col: 8, visible: false },
    title: "t",
    altScreen: false,
    highlights: [],
    faint: [],
  });
});

test("the alternate screen, and wide characters", async () => {
  expect(await shown("old\x1b[?1049h\x1b[2;3H日本x")).toEqual({
    rows: ["", "  日本x", "", ""],
    cols: 12,
    cursor: { row: 1, col: 7, visible: false },
    title: "t",
    altScreen: true,
    highlights: [],
    faint: [],
  });
});

test("what stands out by its background", async () => {
  const { highlights } = await shown(
    "ab \x1b[48;5;215mcd\x1b[0m ef\r\n\x1b[7mxy\x1b[27m\r\n\x1b[41mall of this r\x1b[0m",
  );
  expect(highlights).toEqual([
    { row: 0, start: 3, end: 5 },
    { row: 1, start: 0, end: 2 },
    // The text is one longer than the row.
    { row: 3, start: 0, end: 1 },
  ]);
});

test("what is drawn dim or grey, by the text and not by the cells", async () => {
  const { faint } = await shown(
    "a \x1b[2mdim\x1b[0m b\r\n日\x1b[38;2;128;128;128m本 x\x1b[0my\r\n\x1b[90mgrey\x1b[37m text\x1b[0m\r\n\x1b[38;5;145mramp\x1b[38;5;252mlight",
  );
  expect(faint).toEqual([
    { row: 0, start: 2, end: 5 },
    { row: 1, start: 1, end: 4 },
    { row: 2, start: 0, end: 4 },
    { row: 3, start: 0, end: 4 },
  ]);
});

test("neither colours, nor text, nor a cursor that the program draws is faint", async () => {
  const { faint } = await shown(
    "\x1b[31mred\x1b[0m \x1b[97mwhite\x1b[0m\r\n\x1b[38;2;92;156;245mblue\x1b[0m\r\n\x1b[38;2;238;238;238mtyped\x1b[0m \x1b[2;7mC\x1b[0m",
  );
  expect(faint).toEqual([]);
});
