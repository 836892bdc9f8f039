import { expect, test } from "vitest";
import { differencesOf, report, type AgentLook, type DayLook } from "./findings.js";

const DAY: DayLook = {
  wrongPercent: 0.1,
  unknownPercent: 2,
  falseIdles: 0,
  missedAsks: 0,
  failed: [],
  broken: [],
};
const PIN: AgentLook = {
  version: "1.0.0",
  cells: { start: "pass", "question and answer": "cannot", deny: "pass" },
  days: { talker: DAY, "talker in a terminal": DAY },
  unknownKinds: ["system/known_gap"],
  hooks: { Stop: ["hook_event_name", "session_id"], SessionStart: ["hook_event_name"] },
  screens: { count: 20, misread: ["talker-80x14/03: shown approval, read unknown"] },
};
const UNSEEN: AgentLook = {
  version: "1.1.0",
  cells: null,
  days: null,
  unknownKinds: null,
  hooks: null,
  screens: null,
};

test("the same behaviour in another version is no difference", () => {
  const newest = { ...PIN, version: "1.1.0" };
  expect(report([{ agent: "talker", pin: PIN, newest, problems: [], skipped: [] }])).toEqual({
    lines: ["talker 1.0.0 -> 1.1.0: behaves the same"],
    exitStatus: 0,
  });
});

test("everything that differs is told, each thing once", () => {
  const newest: AgentLook = {
    version: "1.1.0",
    cells: { start: "pass", "question and answer": "pass", deny: "fail", resume: "pass" },
    days: {
      talker: { ...DAY, wrongPercent: 0.4 },
      "talker in a terminal": {
        wrongPercent: 34.3,
        unknownPercent: 0,
        falseIdles: 1,
        missedAsks: 2,
        failed: ["a message after a failure"],
        broken: ["text: a shell ran what was in a message for an agent"],
      },
    },
    unknownKinds: ["system/known_gap", "system/novelty"],
    hooks: { Stop: ["hook_event_name", "reason"], PreCompact: ["hook_event_name"] },
    screens: {
      count: 20,
      misread: [
        "talker-80x14/03: shown approval, read unknown",
        "talker-120x40/07: shown idle, read unknown",
      ],
    },
  };
  expect(report([{ agent: "talker", pin: PIN, newest, problems: [], skipped: [] }])).toEqual({
    lines: [
      "talker 1.0.0 -> 1.1.0: differs",
      "  matrix: question and answer: cannot -> pass",
      "  matrix: deny: pass -> fail",
      "  matrix: resume: not there -> pass",
      "  talker in a terminal: must never happen: text: a shell ran what was in a message for an agent",
      "  talker in a terminal: scene not played: a message after a failure",
      "  talker in a terminal: wrong 0.10 % -> 34.30 %",
      "  talker in a terminal: shown as idle, but was not: 0 -> 1",
      "  talker in a terminal: asks missed: 0 -> 2",
      "  new unknown message: system/novelty",
      "  new hook: PreCompact",
      "  hook gone: SessionStart",
      "  hook Stop: -session_id +reason",
      "  new screen that is misread: talker-120x40/07: shown idle, read unknown",
    ],
    exitStatus: 1,
  });
});

test("of a pin of which nothing is kept, only what is bad in itself is a difference", () => {
  const pin = { ...UNSEEN, version: "1.0.0" };
  expect(differencesOf(pin, { ...PIN, unknownKinds: [], screens: { count: 3, misread: [] } })).toEqual([]);
  const newest: AgentLook = {
    ...PIN,
    cells: { start: "fail", deny: "cannot" },
    days: { talker: { ...DAY, wrongPercent: 0.6 } },
    unknownKinds: ["line"],
    screens: null,
  };
  expect(differencesOf(pin, newest)).toEqual([
    "matrix: start: pass -> fail",
    "talker: wrong not kept -> 0.60 %",
    "new unknown message: line",
  ]);
});

test("what could not be looked at is not the same, and says why", () => {
  const none = { problems: [], skipped: [] };
  const missing = { ...none, agent: "talker", pin: PIN, newest: null, problems: ["npm has no 1.1.0"] };
  const half = { ...none, agent: "walker", pin: PIN, newest: PIN, problems: ["the matrix left no report"] };
  const idle = { ...none, agent: "sleeper", pin: PIN, newest: { ...UNSEEN, version: "1.0.0" } };
  expect(report([missing, half, idle])).toEqual({
    lines: [
      "talker 1.0.0:",
      "  could not be looked at: npm has no 1.1.0",
      "walker 1.0.0 (the pin): behaves the same",
      "  could not be looked at: the matrix left no report",
      "sleeper 1.0.0 (the pin): not played",
    ],
    exitStatus: 1,
  });
  expect(report([idle, { ...half, problems: [], skipped: ["screens: no namespaces here"] }])).toEqual({
    lines: [
      "sleeper 1.0.0 (the pin): not played",
      "walker 1.0.0 (the pin): behaves the same",
      "  skipped: screens: no namespaces here",
    ],
    exitStatus: 0,
  });
});
