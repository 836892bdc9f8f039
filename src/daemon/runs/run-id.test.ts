import { expect, test } from "vitest";
import { RUN_ID_PATTERN } from "../../protocol/keeper-format.js";
import { newId } from "../new-id.js";
import { parseRunId, parseTerminalRunId, runIdOf, terminalRunId } from "./run-id.js";

test("the run of an agent and of a command that we run for it have names that any keeper takes", () => {
  const sessionId = newId();
  const [agent, command] = [runIdOf(sessionId, 3), terminalRunId(sessionId, 3, 12)];
  expect([agent, command].every((runId) => RUN_ID_PATTERN.test(runId))).toBe(true);
  expect(parseRunId(agent)).toEqual({ sessionId, run: 3 });
  expect(parseTerminalRunId(agent)).toBe(null);
  expect(parseTerminalRunId(command)).toEqual({ sessionId, run: 3, terminal: 12 });
});
