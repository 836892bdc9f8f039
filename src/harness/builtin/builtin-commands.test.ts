/** Commands of the built-in agent, and what it says to whoever is at the prompt. */
import { expect, test } from "vitest";
import type { AgentCommand, FromAgent } from "../../protocol/agent-wire.js";
import { SETTINGS } from "../../../test/sim/runtime-fixture.js";
import { commandBuiltin, decodeBuiltin, startBuiltin } from "./builtin-codec.js";

const { state } = startBuiltin({
  run: 2,
  settings: SETTINGS,
  resume: null,
  prompt: { messageId: "m", text: "hello" },
  continues: false,
});

const decoded = (line: FromAgent) => decodeBuiltin(state, JSON.stringify(line), 0).outputs;
const metadata = (payload: object) => [
  { type: "stream", streamId: "run-2-turn-1", event: "metadata", payload },
];

test.each<[AgentCommand, number]>([
  [{ command: "execute" }, 1],
  [{ command: "insert" }, 1],
  [{ command: "interrupt_tools" }, 1],
  [{ command: "new" }, 1],
  [{ command: "slash", name: "model", arguments: "demo" }, 1],
  // It begins a turn, and so a stream of its own.
  [{ command: "skill", name: "deploy" }, 2],
])("%j is one line for the agent, in turn %i", (command, turn) => {
  expect(commandBuiltin(state, command)).toEqual({
    state: { run: 2, turn, continues: false },
    writes: [`${JSON.stringify({ type: "command", command })}\n`],
  });
});

test("a suggestion is an artifact, with all that the model said of it", () => {
  const said = { command: "ls", description: "List", danger: "low" } as const;
  const artifact = (suggestion: object) => [
    {
      type: "stream",
      streamId: "run-2-turn-1",
      event: "artifact_delta",
      payload: { artifactId: "run-2-turn-1:suggestion", text: "ls", suggestion },
    },
  ];
  expect(decoded({ type: "suggestion", ...said })).toEqual(
    artifact({ ...said, dangerNotes: "", confidence: null, confidenceNotes: "" }),
  );
  const more = { dangerNotes: "none", confidence: "high", confidenceNotes: "sure" } as const;
  expect(decoded({ type: "suggestion", ...said, ...more })).toEqual(artifact({ ...said, ...more }));
});

test("what becomes of a suggested command is told beside the turns", () => {
  expect(decoded({ type: "confirm", command: "rm x", withinMs: 5_000 })).toEqual(
    metadata({ confirm: { command: "rm x", withinMs: 5_000 } }),
  );
  const action = { type: "execute", command: "rm x" } as const;
  expect(decoded({ type: "exit", action })).toEqual(metadata({ exit: action }));
  expect(decoded({ type: "refused", command: "new", message: "not now" })).toEqual(
    metadata({ refused: { command: "new", message: "not now" } }),
  );
});
