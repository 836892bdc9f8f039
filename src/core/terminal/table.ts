/**
 * The terminal machine's table: every decision, for everything that the program in front can be doing.
 *
 * A row is an event, or a variant of one in brackets. What comes before the table is in `gates.ts`; what a rule does is
 * in the `*-rules.ts` files under the same name.
 */
import { describe, type Table, type TableDescription } from "../table.js";
import {
  TERMINAL_REQUESTS,
  type EventOf,
  type TerminalEvent,
  type TerminalEventType,
  type TerminalReading,
} from "./events.js";
import * as front from "./front-rules.js";
import { GATES, isStructural, seenProgram } from "./gates.js";
import * as hook from "./hook-rules.js";
import * as request from "./request-rules.js";
import { IGNORE } from "./rule.js";
import * as screen from "./screen-rules.js";
import { ACTIVITIES_IN_TERMINAL, type TerminalState } from "./state.js";
import * as typing from "./typing-rules.js";

const { GONE_FINGERPRINT: _gone, ...requestRules } = request;
const { shownDialog: _shown, ...screenRules } = screen;
const { typedKind, ...typingRules } = typing;

export const RULES = { ignore: IGNORE, ...requestRules, ...front, ...screenRules, ...typingRules, ...hook };

type Seen = EventOf<"screen">;
type Typed = EventOf<"typed">;

type RowEvents = {
  readonly [T in Exclude<TerminalEventType, "foreground" | "screen" | "typed">]: EventOf<T>;
} & {
  readonly "foreground (shell)": EventOf<"foreground">;
  readonly "foreground (agent)": EventOf<"foreground">;
  readonly "foreground (other)": EventOf<"foreground">;
  readonly "screen (working)": Seen;
  readonly "screen (working, steady)": Seen;
  readonly "screen (prompt)": Seen;
  readonly "screen (dialog)": Seen;
  readonly "screen (idle)": Seen;
  readonly "screen (idle, steady)": Seen;
  readonly "screen (shell)": Seen;
  readonly "screen (unknown)": Seen;
  readonly "typed (message, taken)": Typed;
  readonly "typed (message, refused)": Typed;
  readonly "typed (continuation, refused)": Typed;
  readonly "typed (choice, taken)": Typed;
  readonly "typed (choice, refused)": Typed;
  readonly "typed (keys)": Typed;
};

export type TerminalRow = keyof RowEvents;

// prettier-ignore
export const TABLE = {
  //                                shell                 starting        given            working          ending           asking                answering               settling        waiting
  deliver:                         ["refuseNoAgent",      "deliver",      "deliver",       "deliver",       "deliver",       "refusePromptOpen",   "refusePromptOpen",     "deliver",      "deliver"],
  continue:                        ["nothingToContinue",  "continueRun",  "continueTurn",  "continueTurn",  "continueTurn",  "nothingToContinue",  "nothingToContinue",    "continueRun",  "continueRun"],
  interrupt:                       ["nothingToInterrupt", "interrupt",    "interrupt",     "interrupt",     "interrupt",     "interrupt",          "interrupt",            "interrupt",    "interrupt"],
  answer:                          ["answerGone",         "answerGone",   "answerGone",    "answerGone",    "answerGone",    "answer",             "answerGone",           "answerGone",   "answerGone"],

  // who is there
  run_started:                     ["start",              "start",        "start",         "start",         "start",         "start",              "start",                "start",        "start"],
  printed:                         ["showShell",          "showProgram",  "showProgram",   "showProgram",   "showProgram",   "showProgram",        "showProgram",          "showProgram",  "showProgram"],
  "foreground (shell)":            ["frontShell",         "frontShell",   "frontShell",    "frontShell",    "frontShell",    "frontShell",         "frontShell",           "frontShell",   "frontShell"],
  "foreground (agent)":            ["frontAgent",         "frontAgent",   "frontAgent",    "frontAgent",    "frontAgent",    "frontAgent",         "frontAgent",           "frontAgent",   "frontAgent"],
  "foreground (other)":            ["frontOther",         "frontOther",   "frontOther",    "frontOther",    "frontOther",    "frontOther",         "frontOther",           "frontOther",   "frontOther"],
  named:                           ["name",               "name",         "name",          "name",          "name",          "name",               "name",                 "name",         "name"],
  left:                            ["ignore",             "leaveByScreen","leaveByScreen", "leaveByScreen", "leaveByScreen", "leaveByScreen",      "leaveByScreen",        "leaveByScreen","leaveByScreen"],
  mark:                            ["showShell",          "ignore",       "ignore",        "ignore",        "ignore",        "ignore",             "ignore",               "ignore",       "ignore"],

  // what the screen shows
  "screen (working)":              ["ignore",             "workBegins",   "workGoesOn",    "workGoesOn",    "workGoesOn",    "workAfterPrompt",    "workAfterPrompt",      "afterglow",    "workBegins"],
  "screen (working, steady)":      ["ignore",             "workBegins",   "workGoesOn",    "workGoesOn",    "workGoesOn",    "workAfterPrompt",    "workAfterPrompt",      "workBegins",   "workBegins"],
  "screen (prompt)":               ["ignore",             "promptOpens",  "promptOpens",   "promptOpens",   "promptOpens",   "promptChanges",      "promptWhileAnswering", "promptOpens",  "promptOpens"],
  "screen (dialog)":               ["ignore",             "dialogOpens",  "dialogOpens",   "dialogOpens",   "dialogOpens",   "dialogChanges",      "ignore",               "dialogOpens",  "dialogOpens"],
  "screen (idle)":                 ["ignore",             "firstWait",    "idleUnbegun",   "idleAfterWork", "idleAfterStop", "idleAfterPrompt",    "idleAfterPrompt",      "idleAgain",    "idleAgain"],
  "screen (idle, steady)":         ["ignore",             "firstWait",    "idleSteady",    "idleSteady",    "idleAfterStop", "idleAfterPrompt",    "idleAfterPrompt",      "idleAgain",    "idleAgain"],
  "screen (shell)":                ["showShell",          "ignore",       "ignore",        "ignore",        "ignore",        "shellAfterDialog",   "ignore",               "ignore",       "ignore"],
  "screen (unknown)":              ["showShell",          "unknownFirst", "unknownInTurn", "unknownInTurn", "unknownNow",    "unknownWhileAsking", "ignore",               "unknownNow",   "unknownNow"],

  // what was typed
  "typed (message, taken)":        ["typingDone",         "messageTaken", "messageTakenInTurn","messageTakenInTurn","messageTakenInTurn","typingDone",        "typingDone",           "messageTaken", "messageTaken"],
  "typed (message, refused)":      ["typingDone",         "typingDone",   "typingDone",    "typingDone",    "typingDone",    "typingDone",         "typingDone",           "typingDone",   "typingDone"],
  "typed (continuation, refused)": ["typingDone",         "continuationRefused","typingDone","typingDone",  "typingDone",    "typingDone",         "typingDone",           "typingDone",   "typingDone"],
  "typed (choice, taken)":         ["typingDone",         "typingDone",   "typingDone",    "typingDone",    "typingDone",    "typingDone",         "choiceTaken",          "typingDone",   "typingDone"],
  "typed (choice, refused)":       ["typingDone",         "typingDone",   "lateChoiceRefused","lateChoiceRefused","lateChoiceRefused","lateChoiceRefused","choiceRefused",  "typingDone",   "typingDone"],
  "typed (keys)":                  ["typingDone",         "typingDone",   "typingDone",    "typingDone",    "typingDone",    "typingDone",         "typingDone",           "typingDone",   "typingDone"],

  // what hooks tell
  hook_started:                    ["ignore",             "hookReady",    "hookReady",     "hookReady",     "hookReady",     "hookReady",          "hookReady",            "hookReady",    "hookReady"],
  hook_prompt:                     ["ignore",             "promptEntered","promptQueued",  "promptQueued",  "promptQueued",  "promptPastAsk",      "promptPastAsk",        "promptEntered","promptEntered"],
  hook_tool_started:               ["ignore",             "toolStarts",   "toolStarts",    "toolStarts",    "toolStarts",    "toolStarts",         "toolStarts",           "toolStarts",   "toolStarts"],
  hook_request:                    ["ignore",             "requestOpens", "requestOpens",  "requestOpens",  "requestOpens",  "requestWhileAsking", "requestWhileAsking",   "requestOpens", "requestOpens"],
  hook_tool_ended:                 ["ignore",             "toolEnds",     "toolEnds",      "toolEnds",      "toolEnds",      "toolEnds",           "toolEnds",             "toolEnds",     "toolEnds"],
  hook_idle:                       ["ignore",             "idleTold",     "idleTold",      "idleTold",      "idleTold",      "ignore",             "ignore",               "ignore",       "ignore"],
  hook_stopped:                    ["ignore",             "stops",        "stops",         "stops",         "stops",         "stops",              "stops",                "stopsAgain",   "stopsAgain"],
  hook_failed:                     ["ignore",             "fails",        "fails",         "fails",         "fails",         "fails",              "fails",                "ignore",       "ignore"],
} as const satisfies Table<RowEvents, typeof ACTIVITIES_IN_TERMINAL, typeof RULES>;

export function rowOf(state: TerminalState, event: TerminalEvent): TerminalRow {
  switch (event.type) {
    case "foreground":
      return `foreground (${seenProgram(state.front, state.launched, event).type})`;
    case "screen":
      return screenRow(event.reading, event.stability !== "fresh");
    case "typed":
      return typedRow(state, event);
    default:
      // Every other event is a row of its own; the compiler refuses one that is not.
      return event.type;
  }
}

function screenRow(reading: TerminalReading, isSteady: boolean): TerminalRow {
  switch (reading.activity) {
    case "working":
      return isSteady ? "screen (working, steady)" : "screen (working)";
    case "idle":
      return isSteady ? "screen (idle, steady)" : "screen (idle)";
    case "approval":
    case "question":
      return isStructural(reading) ? "screen (dialog)" : "screen (prompt)";
    case "shell":
      return "screen (shell)";
    case "unknown":
      return "screen (unknown)";
  }
}

function typedRow(state: TerminalState, event: Typed): TerminalRow {
  if (event.typing === "keys") return "typed (keys)";
  if (event.typing === "choice") return `typed (choice, ${event.isTaken ? "taken" : "refused"})`;
  if (event.isTaken) return "typed (message, taken)";
  return typedKind(state, event) === "continuation"
    ? "typed (continuation, refused)"
    : "typed (message, refused)";
}

export const description: TableDescription = describe(
  "terminal",
  ACTIVITIES_IN_TERMINAL,
  GATES,
  TABLE,
  RULES,
  (row) => (Object.hasOwn(TERMINAL_REQUESTS, row) ? "request" : "fact"),
);
