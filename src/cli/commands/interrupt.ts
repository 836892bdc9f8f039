import { sessionRequestCommand } from "../session-request.js";

export const interruptCommand = sessionRequestCommand({
  name: "interrupt",
  does: "Interrupts the agent's turn. The session is paused once the agent has let go; what it did stays.",
  call: "interrupt",
});
