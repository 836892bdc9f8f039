/** The cells that no world can reach, and why. They are decided all the same: a table has no holes. */
export const UNREACHABLE: Readonly<Record<string, string>> = {
  "screen (idle) / answering": "an answer is on its way then, and a gate drops idle screens meanwhile",
  "screen (idle, steady) / answering":
    "an answer is on its way then, and a gate drops idle screens meanwhile",
  "typed (choice, taken) / waiting":
    "idle screens are dropped while an answer is on its way, so that only a continuation that is refused leads there; " +
    "it is refused before the answer behind it is typed, when hooks have told the end: no prompt is there to take it",
};
