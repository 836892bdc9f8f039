/** What a terminal shows after the bytes of a file: a recording of raw output, a dump of a screen, or plain rows. */
import headless from "@xterm/headless";
import { screenOf, type Screen } from "../core/index.js";

export interface RenderedSize {
  readonly cols: number;
  readonly rows: number;
}

const CARRIAGE_RETURN = 0x0d;
const NEWLINE = 0x0a;

export async function renderScreen(bytes: Uint8Array, size: RenderedSize): Promise<Screen> {
  // What a program wrote to a terminal ends its lines with both; rows that were saved as text, with a newline only.
  const isText = !bytes.includes(CARRIAGE_RETURN);
  const terminal = new headless.Terminal({
    ...size,
    convertEol: isText,
    scrollback: 0,
    allowProposedApi: true,
    logLevel: "off",
  });
  const told = { title: "", cursorVisible: true };
  terminal.onTitleChange((title) => (told.title = title));
  for (const [final, visible] of [
    ["h", true],
    ["l", false],
  ] as const) {
    terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
      if (params.includes(25)) told.cursorVisible = visible;
      return false;
    });
  }
  // The newline after the last row would scroll the first one away.
  const shown = isText && bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  await new Promise<void>((resolve) => {
    terminal.write(shown, resolve);
  });
  const screen = screenOf(terminal, told);
  terminal.dispose();
  return screen;
}
