import { initialTurn, type TurnState } from "../core/index.js";
import type { Tool } from "./tools/tool.js";

/** What the turn machine must know of the tools. */
export function turnConfig(tools: ReadonlyMap<string, Tool>): TurnState["config"] {
  const known: TurnState["config"]["tools"] = Object.fromEntries(
    [...tools].map(([name, { capability, timeoutMs }]) => [
      name,
      { capability, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    ]),
  );
  const capabilities = [...tools.values()].flatMap(({ capability }) => capability ?? []);
  // A suggestion is no call; one that names no command is one that does not fit.
  const suggestion = { suggest_command: { capability: null } };
  return { ...initialTurn.config, capabilities, tools: { ...known, ...suggestion } };
}
