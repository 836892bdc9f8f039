import { expect, test } from "vitest";
import { playVector, readVectors } from "../../../test/vectors/vector.js";
import { sessionMachine } from "./session-machine.js";
import type { SessionState } from "./state.js";

for (const file of ["session.json", "session-more.json"]) {
  for (const vector of readVectors(file)) {
    test(`${file}: ${vector.name}`, () => {
      const initial = sessionMachine.parseState({ ...sessionMachine.initial, ...vector.initial });
      if (!initial.ok) throw new Error(JSON.stringify(initial.flaw));
      const flaw = playVector(vector, initial.value, (state, value) => {
        const event = sessionMachine.parseEvent(value);
        if (!event.ok) throw new Error(`${JSON.stringify(value)}: ${JSON.stringify(event.flaw)}`);
        return sessionMachine.transition(state as SessionState, event.value);
      });
      expect(flaw).toBeNull();
    });
  }
}
