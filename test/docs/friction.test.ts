/**
 * How often a person is asked on an ordinary day. The numbers are published in docs/permissions.md; whoever makes them worse
 * is told here, and whoever makes them better writes them there.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Permissions } from "../../src/permissions/permissions.js";
import type { WallPlan } from "../../src/protocol/wall.js";
import { leavesWall } from "../../src/wall/leaves-wall.js";
import { planWall } from "../../src/wall/raise-wall.js";
import { WallLab } from "../wall/wall-lab.js";
import { EVERYDAY_CALLS, type EverydayCall } from "./everyday-calls.js";

const PAGE = new URL("../../docs/permissions.md", import.meta.url);
/** What a person lists who has packages installed. */
const REGISTRIES = ["npm's registry", "pypi.org", "files.pythonhosted.org", "proxy.golang.org"];

let lab: WallLab;
let plan: WallPlan;
beforeAll(async () => {
  lab = new WallLab();
  for (const name of ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile"])
    lab.inProject(name, "");
  mkdirSync(join(lab.project, ".git"));
  const planned = await planWall(lab.request("/bin/true", []));
  if (!planned.ok) throw new Error(planned.reason);
  plan = planned.plan;
});
afterAll(() => lab.remove());

type Answer = "asked" | "denied" | "answered";

function permissionsOf(name: string): Permissions {
  const onProblem = (what: string, cause: unknown) => {
    throw new Error(what, { cause });
  };
  return new Permissions({
    configDir: join(lab.folder, name),
    dataDir: lab.dataDir,
    homeDir: lab.home,
    onProblem,
  });
}

function asking({ harness }: EverydayCall) {
  return { harness, cwd: lab.project, grants: [] };
}

/** Where no wall stands, whatever no rule decides is asked. */
function byRules(permissions: Permissions, call: EverydayCall): Answer {
  const { verdict } = permissions.decide(asking(call), call.tool);
  return verdict === "allow" ? "answered" : verdict === "deny" ? "denied" : "asked";
}

/** `hosts`: which the person has listed; any other that is called is one ask of the wall. */
function byWall(permissions: Permissions, call: EverydayCall, hosts: readonly string[]): Answer {
  const { verdict } = permissions.decide(asking(call), call.tool);
  if (verdict === "deny") return "denied";
  if (verdict === "ask") return "asked";
  const accesses = permissions.accesses(asking(call), call.tool);
  if (accesses === null) return "asked";
  const named = accesses.flatMap((access) =>
    access.category === "Web"
      ? [access.host]
      : access.category === "Shell"
        ? access.hosts.filter(({ use }) => use.certain).map((each) => each.access.host)
        : [],
  );
  const called = [...named, ...(call.reaches === null ? [] : [call.reaches])];
  if (called.some((host) => !hosts.includes(host) && !isOwn(host))) return "asked";
  if (verdict === "allow") return "answered";
  const held = accesses.filter(({ category }) => category !== "Web");
  return leavesWall(plan, held) === null ? "answered" : "asked";
}

/** Inside, that is the run's own loopback. */
function isOwn(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1";
}

function row(mode: string, answers: readonly Answer[]): string {
  const count = (wanted: Answer) => answers.filter((answer) => answer === wanted).length;
  return `| ${mode} | ${count("asked")} | ${count("denied")} |`;
}

function squeezed(line: string): string {
  return line.replaceAll(/ +/g, " ");
}

test("as often as is published", () => {
  const none = permissionsOf("config-none");
  const starter = permissionsOf("config-starter");
  const written = starter.init(null, lab.project);
  expect(written).toMatchObject({ ok: true, kinds: ["node", "python", "rust", "go", "make"] });
  const of = (answer: (call: EverydayCall) => Answer) => EVERYDAY_CALLS.map(answer);
  const bare = of((call) => byRules(none, call));
  const started = of((call) => byRules(starter, call));
  const closed = of((call) => byWall(none, call, []));
  const listed = of((call) => byWall(none, call, REGISTRIES));
  const rows = [
    // Before reads in the project were allowed, nothing was answered without a rule.
    row(
      "`ask`, no rules, before reads were allowed",
      EVERYDAY_CALLS.map(() => "asked" as const),
    ),
    row("`ask`, no rules", bare),
    row("`ask`, the file of `permissions init`", started),
    row("`contained`, no rules, no host listed", closed),
    row("`contained`, no rules, the registries of packages listed", listed),
  ];
  const asked = (answers: readonly Answer[]) =>
    EVERYDAY_CALLS.filter((_, at) => answers[at] === "asked").map(({ text }) => text);
  const report = [
    `${EVERYDAY_CALLS.length} calls`,
    ...rows,
    "with the starter file:",
    ...asked(started),
    "contained, listed:",
    ...asked(listed),
    "contained, closed:",
    ...asked(closed),
  ].join("\n");
  console.log(report);
  expect(EVERYDAY_CALLS.length).toBeGreaterThanOrEqual(120);
  const page = readFileSync(PAGE, "utf8").split("\n").map(squeezed);
  expect(rows.filter((each) => !page.includes(each))).toEqual([]);
});
