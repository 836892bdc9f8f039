import { TERMINAL_INPUT_BYTES_MAX } from "../../../protocol/terminal-frames.js";
import type { Handler } from "../call-handler.js";
import { failure, flawed, sessionNotFound } from "../problem.js";

/** Keys for whatever is in front of a terminal, a shell too: never a message, and never for an agent to send. */
export const typeKeys: Handler<"typeKeys"> = async ({ params, body }, { board, terminals }) => {
  if (!board.session(params.id)) return sessionNotFound(params.id);
  if (Buffer.byteLength(body.text) > TERMINAL_INPUT_BYTES_MAX)
    return flawed("text", `Longer than ${TERMINAL_INPUT_BYTES_MAX} bytes`);
  if (!terminals) return failure("conflict", "This session has no terminal.");
  return (await terminals.typeKeys(params.id, body.text)) ?? { ok: true, value: null };
};
