import { sessionRequestCommand } from "../session-request.js";

export const stopCommand = sessionRequestCommand({
  name: "stop",
  does: "Stops a session: its agent is ended. Messages in its queue stay there; resume goes on with it.",
  call: "cancel",
});
