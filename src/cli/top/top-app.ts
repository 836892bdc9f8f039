/** `top` in a terminal: draws the view with Ink, and hands keys on. */
import { Box, render, Text, useInput, useStdout, type Key as InkKey } from "ink";
import { createElement as element, useEffect, useReducer, type ReactNode } from "react";
import type { Client } from "../../client/client.js";
import type { Colour } from "../paint.js";
import { terminalSize } from "../terminal-size.js";
import { TopControl, type Key } from "./top-control.js";
import { topView, type Line, type Part, type ScreenSize } from "./top-view.js";

/** How often it is drawn at most: it must be usable over a slow line. */
const FRAMES_PER_SECOND_MAX = 10;
/** How old things are is shown in seconds. */
const TICK_MS = 1_000;
const CLEAR_SCREEN = "\u001b[H\u001b[2J";
const ENTER_SCREEN = `\u001b[?1049h${CLEAR_SCREEN}`;
const LEAVE_SCREEN = "\u001b[?1049l\u001b[?25h";
const BELL = "\u0007";
/** From outside: what the person presses comes as a key. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface TopLook {
  readonly colours: boolean;
  readonly bell: boolean;
}

/** Resolves when the person leaves; rejects when the daemon refuses. */
export async function runTop(client: Client, look: TopLook): Promise<void> {
  const abort = new AbortController();
  let redraw: () => void = () => undefined;
  let leave: (error?: unknown) => void = () => undefined;
  const left = new Promise<void>((resolve, reject) => {
    leave = (error) => (error instanceof Error ? reject(error) : resolve());
  });
  const control = new TopControl({
    client,
    size: () => screenSize(process.stdout),
    onChange: () => redraw(),
    onLeave: leave,
    onAsk: () => {
      if (look.bell) process.stdout.write(BELL);
    },
  });
  const restore = () => void process.stdout.write(LEAVE_SCREEN);
  process.once("exit", restore);
  process.stdout.write(ENTER_SCREEN);
  const app = render(element(TopApp, { control, look, onReady: (draw) => (redraw = draw) }), {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: FRAMES_PER_SECOND_MAX,
  });
  const ended = () => leave();
  const resized = () => {
    // Lines that were broken or moved are nowhere any more that Ink would know of.
    app.clear();
    process.stdout.write(CLEAR_SCREEN);
    redraw();
  };
  process.stdout.on("resize", resized);
  for (const signal of ENDING) process.once(signal, ended);
  const tick = setInterval(() => redraw(), TICK_MS);
  const following = control.board.follow(abort.signal).catch(leave);
  try {
    await left;
  } finally {
    clearInterval(tick);
    abort.abort();
    control.close();
    app.unmount();
    process.stdout.off("resize", resized);
    process.off("exit", restore);
    for (const signal of ENDING) process.off(signal, ended);
    restore();
    await following;
  }
}

interface TopAppProps {
  readonly control: TopControl;
  readonly look: TopLook;
  readonly onReady: (redraw: () => void) => void;
}

function TopApp({ control, look, onReady }: TopAppProps): ReactNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { stdout } = useStdout();
  useEffect(() => onReady(redraw), [onReady]);
  useInput((input, key) => control.press(keyOf(input, key)));
  const lines = topView(control.view(), screenSize(stdout));
  return element(
    Box,
    { flexDirection: "column" },
    ...lines.map((line, index) => element(LineText, { key: index, line, colours: look.colours })),
  );
}

/** One line less than there are: a full screen would be cleared before every frame. */
function screenSize(stdout: NodeJS.WriteStream): ScreenSize {
  const { cols, rows } = terminalSize(stdout);
  return { cols: Math.max(20, cols), rows: Math.max(6, rows) - 1 };
}

function LineText({ line, colours }: { readonly line: Line; readonly colours: boolean }): ReactNode {
  // An empty line has a height only with something in it.
  const parts = line.length === 0 ? [{ text: " " }] : line;
  return element(
    Text,
    { wrap: "truncate" },
    ...parts.map((part, index) => element(Text, { key: index, ...styleOf(part, colours) }, part.text)),
  );
}

function styleOf({ colour, inverse }: Part, colours: boolean) {
  const isColour = (name: Colour | undefined) => name === "red" || name === "green" || name === "yellow";
  return {
    ...(colour === "bold" || (!colours && isColour(colour) && colour !== "green") ? { bold: true } : {}),
    ...(colour === "dim" ? { dimColor: true } : {}),
    ...(colours && colour !== undefined && isColour(colour) ? { color: colour } : {}),
    ...(inverse === true ? { inverse: true } : {}),
  };
}

function keyOf(input: string, key: InkKey): Key {
  if (key.upArrow) return { input, name: "up" };
  if (key.downArrow) return { input, name: "down" };
  if (key.pageUp) return { input, name: "pageUp" };
  if (key.pageDown) return { input, name: "pageDown" };
  if (key.tab) return { input, name: "tab" };
  if (key.return) return { input, name: "return" };
  if (key.escape) return { input, name: "escape" };
  // Terminals do not agree on which of the two the key above Enter is.
  if (key.backspace || key.delete) return { input, name: "backspace" };
  return { input, name: key.ctrl || key.meta ? "ctrl" : "text" };
}
