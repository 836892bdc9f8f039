import type { Status } from "./state.js";

interface Asking {
  readonly status: Status;
  readonly asks: readonly { readonly askId: string }[];
}

/** The question that a message answers now; null while a message is a message, and answers nothing. */
export function questionOf({ status, asks }: Asking): string | null {
  return status === "waiting_input" ? (asks[0]?.askId ?? null) : null;
}
