import { expect, test } from "vitest";
import { playVector, readVectors } from "../../../test/vectors/vector.js";
import type { TerminalState } from "./state.js";
import { terminalMachine } from "./terminal-machine.js";

for (const vector of readVectors("terminal-more.json")) {
  test(`terminal-more.json: ${vector.name}`, () => {
    const initial = terminalMachine.parseState({ ...terminalMachine.initial, ...vector.initial });
    if (!initial.ok) throw new Error(JSON.stringify(initial.flaw));
    const flaw = playVector(vector, initial.value, (state, value) => {
      const event = terminalMachine.parseEvent(value);
      if (!event.ok) throw new Error(`${JSON.stringify(value)}: ${JSON.stringify(event.flaw)}`);
      return terminalMachine.transition(state as TerminalState, event.value);
    });
    expect(flaw).toBeNull();
  });
}
