/**
 * The cells that this ghost's world does not lead to. They are decided all the same; a larger world (answers beside hooks,
 * more turns) would come to most of them, so that this list is to shrink, never to grow.
 */
const NOT_PLAYED: Readonly<Record<string, readonly string[]>> = {
  "foreground (other)": ["ending", "settling"],
  left: ["shell"],
  "screen (working, steady)": ["shell"],
  "screen (prompt)": ["ending", "settling"],
  "screen (dialog)": ["ending", "settling"],
  "screen (idle)": ["shell", "answering"],
  "screen (idle, steady)": ["answering"],
  "typed (message, taken)": ["shell"],
  "typed (continuation, refused)": ["given", "ending", "answering", "settling", "waiting"],
  "typed (choice, taken)": [
    "shell",
    "starting",
    "given",
    "working",
    "ending",
    "asking",
    "settling",
    "waiting",
  ],
  "typed (choice, refused)": ["starting", "ending", "settling", "waiting"],
  "typed (keys)": ["ending", "settling", "waiting"],
  hook_started: ["ending", "asking", "answering"],
  hook_prompt: ["answering"],
  hook_tool_started: ["answering", "waiting"],
  hook_request: ["answering", "waiting"],
  hook_tool_ended: ["answering", "waiting"],
  hook_idle: ["answering"],
  hook_stopped: ["answering"],
  hook_failed: ["answering", "waiting"],
};

export const UNREACHABLE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NOT_PLAYED).flatMap(([row, columns]) =>
    columns.map((column) => [`${row} / ${column}`, "the ghost's world does not lead there"] as const),
  ),
);
