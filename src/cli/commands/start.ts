import { sessionRequestCommand } from "../session-request.js";

export const startCommand = sessionRequestCommand({
  name: "start",
  does: "Starts a session's agent afresh, without what it knew.",
  call: "start",
});
