/**
 * In a narrower terminal the rows of a full-screen program keep what stood at their right, out of sight: xterm.js cuts only
 * the rows of the usual screen. Whoever reads them, or makes a snapshot of them, would find it there.
 */
import type { Terminal } from "@xterm/headless";

/** What xterm.js has but does not declare. */
interface Core {
  readonly buffers: {
    readonly alt: {
      readonly lines: { readonly length: number; get(index: number): Line | undefined };
      getNullCell(): unknown;
    };
  };
}

interface Line {
  resize(cols: number, filling: unknown): void;
}

export function cutAlternate(terminal: Terminal): void {
  const { alt } = coreOf(terminal).buffers;
  for (let index = 0; index < alt.lines.length; index += 1)
    alt.lines.get(index)?.resize(terminal.cols, alt.getNullCell());
}

/** The version of xterm.js is fixed by the lock file, and this says so if it changes. */
function coreOf(terminal: Terminal): Core {
  const { _core: core } = terminal as { readonly _core?: Partial<Core> };
  if (typeof core?.buffers?.alt.lines.get !== "function")
    throw new Error("this version of xterm.js has other insides");
  return core as Core;
}
