/**
 * Every capability with every agent, the real programs, through the daemon: one table. `SIGNALBOX_AGENTS` says which
 * agents (`claude,codex`), or `all`.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Lab } from "../lab.js";
import { showCannot } from "./cannot.js";
import { CAPABILITIES, CAPABILITY_NAMES } from "./capabilities.js";
import { Stand } from "./capability.js";
import { MatrixReport } from "./matrix-report.js";
import { PROFILES } from "./profiles.js";
import { chosenAgents } from "./chosen-agents.js";

const CELL_MAX_MS = 240_000;
const INSTALL_MAX_MS = 300_000;

const report = new MatrixReport();
afterAll(() => report.publish());

const tries = new Map<string, number>();

describe.each(chosenAgents(process.env["SIGNALBOX_AGENTS"]))("%s", (agent) => {
  const profile = PROFILES[agent];
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.open([agent]);
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    report.noteUnknown(agent, lab.unknownKinds());
    expect(await lab.close()).toEqual([]);
  });

  test.each(CAPABILITY_NAMES)(
    "%s",
    async (name) => {
      const cannot = profile.cannot[name];
      const cell = `${agent}${CAPABILITY_NAMES.indexOf(name)}`;
      const tried = (tries.get(cell) ?? 0) + 1;
      tries.set(cell, tried);
      // What the first try has left must not help, or hinder, the second.
      const stand = new Stand(lab, profile, `${cell}${"again".repeat(tried - 1)}`);
      const startMs = Date.now();
      try {
        await (cannot ? showCannot(stand, cannot) : CAPABILITIES[name](stand));
        await stand.end();
        const tookMs = Date.now() - startMs;
        const passed = { type: "pass", tookMs, tries: tried } as const;
        report.note(agent, name, cannot ? { type: "cannot", ...cannot } : passed);
      } catch (error) {
        report.note(agent, name, { type: "fail", tookMs: Date.now() - startMs });
        throw error;
      }
    },
    CELL_MAX_MS,
  );
});
