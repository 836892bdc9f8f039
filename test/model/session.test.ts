import { afterAll, expect, test } from "vitest";
import { printReport, search } from "./search.js";
import { SCOPES, sessionModel, type Scope } from "./session-model.js";
import { UNREACHABLE } from "./session-unreachable.js";
import { sessionMachine } from "../../src/core/session/session-machine.js";

/** The search must not come to see less than it once saw. */
const STATES_MIN: Readonly<Record<Scope, { readonly implicit: number; readonly explicit?: number }>> = {
  everything: { implicit: 239_594, explicit: 238_119 },
  messages: { implicit: 68_408 },
  restarts: { implicit: 14_141 },
  interrupts: { implicit: 7_157, explicit: 7_272 },
  questions: { implicit: 16_915, explicit: 16_835 },
  replies: { implicit: 19_948, explicit: 19_850 },
  approvals: { implicit: 24_824, explicit: 25_256 },
  work: { implicit: 6_984 },
  rests: { implicit: 99_125 },
  restsAsked: { implicit: 28_552, explicit: 25_958 },
  checkpoints: { implicit: 12_919 },
  checkpointAnew: { implicit: 10_423 },
  checkpointLine: { implicit: 8_734 },
  checkpointAsked: { implicit: 15_402 },
  checkpointShell: { implicit: 3_266 },
  unknown: { implicit: 19_476 },
  unknownLine: { implicit: 10_272 },
  shell: { implicit: 21_267 },
  shellLine: { implicit: 24_253 },
  shellAgain: { implicit: 8_080 },
  shellReply: { implicit: 14_066 },
  walled: { implicit: 8_375, explicit: 8_473 },
  walledTwice: { implicit: 11_262 },
  walledRest: { implicit: 5_687 },
  walledShell: { implicit: 1_498 },
  stranger: { implicit: 20_715, explicit: 21_369 },
};

/** The largest part is searched for both ways of closing asks only in the long run. */
const isLong = (scope: Scope, asksClose: string): boolean =>
  scope === "everything" && asksClose === "explicit";

const visited = new Map<string, Set<string>>();
let states = 0;

/** The machine, keeping note of where each cell leads. */
const transition: typeof sessionMachine.transition = (state, event) => {
  const step = sessionMachine.transition(state, event);
  const cell = sessionMachine.locate(state, event);
  if (!cell) return step;
  const name = `${cell.row} / ${cell.column}`;
  const landed = visited.get(name);
  if (landed) landed.add(step.state.status);
  else visited.set(name, new Set([step.state.status]));
  return step;
};

for (const scope of Object.keys(SCOPES) as Scope[]) {
  for (const asksClose of ["implicit", "explicit"] as const) {
    const statesMin = STATES_MIN[scope][asksClose];
    // Without asks it makes no difference how they close.
    if (statesMin === undefined) continue;
    test.skipIf(isLong(scope, asksClose) && !process.env["SIGNALBOX_LONG"])(
      `${scope}, asks close ${asksClose}ly`,
      () => {
        const report = search(sessionModel(asksClose, scope, transition));
        console.log(printReport(report));
        expect(report.violation).toBeNull();
        expect(report.states).toBeGreaterThanOrEqual(statesMin);
        states += report.states;
      },
    );
  }
}

test("every cell is visited, or unreachable because of something", () => {
  const cells = sessionMachine.description.rows.flatMap(({ event }) =>
    sessionMachine.description.columns.map((column) => `${event} / ${column}`),
  );
  const unexplained = cells.filter((cell) => visited.has(cell) === Object.hasOwn(UNREACHABLE, cell));
  expect(unexplained).toEqual([]);
});

/** In this world an agent says nothing else before it is ready, so that no question of its can be half asked then. */
const UNSEEN = ["session_created / streaming → waiting_input"];

test("every target that the table declares is reached", () => {
  const unseen = sessionMachine.description.rows.flatMap(({ event, cells }) =>
    Object.entries(cells).flatMap(([column, { to }]) => {
      const landed = visited.get(`${event} / ${column}`);
      const missing = landed ? to.filter((target) => target !== column && !landed.has(target)) : [];
      return missing.map((target) => `${event} / ${column} → ${target}`);
    }),
  );
  expect(unseen).toEqual(UNSEEN);
});

afterAll(() => {
  console.log(
    `session: ${states} states, ${visited.size} cells visited, ${Object.keys(UNREACHABLE).length} unreachable`,
  );
});
