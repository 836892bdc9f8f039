import { expect, test } from "vitest";
import { NO_OFFER } from "../kit/controls.js";
import { fromJson } from "./acp-state.js";

test("what an earlier version wrote has what came later, and keeps its own", () => {
  expect(fromJson({ turn: 3 })).toEqual({
    turn: 3,
    invocation: null,
    logins: [],
    loginAttempts: 0,
    hasActed: true,
    unkept: null,
    isAllUnkept: false,
    isAwake: false,
    wakes: 0,
    approvedCommands: [],
    terminals: [],
    terminalCount: 0,
    waits: [],
    background: 0,
    offer: NO_OFFER,
    ways: {},
  });
  expect(fromJson({ wakes: 2, unkept: "go" })).toMatchObject({ wakes: 2, unkept: "go" });
});
