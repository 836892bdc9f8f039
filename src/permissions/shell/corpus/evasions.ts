/**
 * Ways to run or read something else under rules that only look, by class as they were published. The lines are our own.
 * `id` stands for anything that nobody has allowed.
 */
import type { Verdict } from "../../../core/index.js";
import type { CaseRules, ShellCase } from "./shell-case.js";

/** What a person allows who means to allow looking, testing and counting. */
const ALLOWED =
  "awk base64 bat builtin busybox cat cd command column coproc curl cut date declare diff du echo env eslint eval exec export fd file find gh git go grep head ip jq ldd less let ls man mapfile nice nm od printf psql read readonly rg set sort sqlite3 stat strings tail tar tee test time timeout tr trap tree true type typeset uniq unset wait watch wc xargs xxd [";
const ALLOWED_WITH_WORDS = [
  "cargo check",
  "gradle test",
  "make -n",
  "npm run",
  "npm test",
  "prettier --check",
  "sed -n",
];

export const LOOKING: CaseRules = {
  allow: [...ALLOWED.split(" "), ...ALLOWED_WITH_WORDS].map((program) => `Shell(${program} *)`),
  deny: ["Shell(rm *)", "Read(**/.env*)"],
};

type Row = readonly [command: string, expect: Exclude<Verdict, "allow">];

export function evasions(source: string, ...rows: readonly Row[]): readonly ShellCase[] {
  return rows.map(([command, expect]) => ({
    command,
    rules: LOOKING,
    expect,
    why: "under rules that only look",
    source,
  }));
}
