/**
 * Some sequences say how often something is repeated. More often than there are rows, or columns, means nothing, but
 * xterm.js would do it a thousand million times if told to, and the daemon would do nothing else for minutes.
 */
import type { Terminal } from "@xterm/headless";

/** Insert and delete lines, scroll up and down. */
const BY_ROWS = ["L", "M", "S", "T"];
/** Tabs forth and back, repeat a character. */
const BY_COLS = ["I", "Z", "b"];

/** What xterm.js has but does not declare: the declared way gives handlers a copy, and the bound would not count. */
interface Core {
  registerCsiHandler(
    sequence: { readonly final: string },
    handle: (parameters: { readonly params: Int32Array }) => boolean,
  ): void;
}

export function boundRepeats(terminal: Terminal): void {
  const core = coreOf(terminal);
  const bound = (final: string, timesMax: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, timesMax());
      // What it means is up to the emulator.
      return false;
    });
  for (const final of BY_ROWS) bound(final, () => terminal.rows);
  for (const final of BY_COLS) bound(final, () => terminal.cols);
}

/** The version of xterm.js is fixed by the lock file, and this says so if it changes. */
function coreOf(terminal: Terminal): Core {
  const { _core: core } = terminal as { readonly _core?: Partial<Core> };
  if (typeof core?.registerCsiHandler !== "function")
    throw new Error("this version of xterm.js has other insides");
  return core as Core;
}
