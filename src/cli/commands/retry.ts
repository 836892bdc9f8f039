import { sessionRequestCommand } from "../session-request.js";

export const retryCommand = sessionRequestCommand({
  name: "retry",
  does: "Tries again after an error.",
  call: "retry",
});
