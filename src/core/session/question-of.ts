import type { Status } from "./state.js";

interface Asking {
  readonly status: Status;
  readonly asks: readonly { readonly askId: string; readonly ask: string }[];
}

/** The question that a message answers now; null while a message is a message, and answers nothing. */
export function questionOf({ status, asks }: Asking): string | null {
  // Beside the agent's questions the wall may ask something; no message answers that.
  return status === "waiting_input" ? (asks.find(({ ask }) => ask === "followup")?.askId ?? null) : null;
}
