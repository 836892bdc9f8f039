/** A typing that is given up, because what comes after it must not wait: the run is to be interrupted, or to end. */
import type { Send, TypedTerminal } from "./typed-terminal.js";

export class Overtaken extends Error {
  override readonly name = "Overtaken";
  constructor() {
    super("The session was interrupted or stopped before.");
  }
}

/** The same terminal, at which nobody waits any longer. */
export function overtakable(terminal: TypedTerminal, overtaken: AbortSignal): TypedTerminal {
  return {
    get program() {
      return terminal.program;
    },
    get isOfShell() {
      return terminal.isOfShell;
    },
    get takesPastes() {
      return terminal.takesPastes;
    },
    get isFullScreen() {
      return terminal.isFullScreen;
    },
    get personTypedAtMs() {
      return terminal.personTypedAtMs;
    },
    get printedAtMs() {
      return terminal.printedAtMs;
    },
    look: () => terminal.look(),
    picture: () => terminal.picture(),
    shownMore: (withinMs) => unlessOvertaken(overtaken, terminal.shownMore(withinMs)),
  };
}

/** Nothing more is sent; what is on its way is waited for. */
export function overtakableSend(send: Send, overtaken: AbortSignal): Send {
  return async (part, data) => {
    if (overtaken.aborted) throw new Overtaken();
    await send(part, data);
  };
}

async function unlessOvertaken<T>(overtaken: AbortSignal, waited: Promise<T>): Promise<T> {
  if (overtaken.aborted) throw new Overtaken();
  let onAbort = (): void => undefined;
  const given = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Overtaken());
    overtaken.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([waited, given]);
  } finally {
    overtaken.removeEventListener("abort", onAbort);
  }
}
