/** Every line of the corpus with its rules, and what the rules say of it. The data is in the files beside this one. */
import { readdirSync, readFileSync } from "node:fs";
import type { Verdict } from "../../../src/core/index.js";

/** `deny`, `ask`, `allow`: as in a permission file. */
export interface CaseRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface ShellCase {
  readonly command: string;
  readonly rules: CaseRules;
  /** What the rules say, without a wall. */
  readonly verdict: Verdict;
  /** What they said while tables of programs' options were kept, where that was something else. */
  readonly was?: Verdict;
  readonly about: string;
  /** Where it was published, when it is a way around the rules of others. */
  readonly source?: string;
  readonly shell?: string;
}

/** `rules`: sets of rules, each effect a list with bars between them; groups name theirs by its place. */
interface CorpusFile {
  readonly rules: readonly Readonly<Partial<Record<keyof CaseRules, string>>>[];
  readonly groups: readonly Group[];
}

interface Group {
  readonly about: string;
  readonly source?: string;
  readonly shell?: string;
  readonly rules: number;
  readonly lines: readonly (readonly [command: string, verdict: Verdict, was?: Verdict])[];
}

const FOLDER = new URL("./", import.meta.url);

/** By the name of the file that holds them. */
export const CORPUS: Readonly<Record<string, readonly ShellCase[]>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => [name.replace(/\.json$/, ""), casesIn(name)]),
);

export const ALL_CASES: readonly ShellCase[] = Object.values(CORPUS).flat();

function casesIn(name: string): readonly ShellCase[] {
  const { rules, groups } = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as CorpusFile;
  const sets = rules.map((set): CaseRules =>
    Object.fromEntries(
      Object.entries(set).map(([effect, list]) => [effect, list.split(" | ").filter(Boolean)]),
    ),
  );
  return groups.flatMap(({ lines, ...group }) =>
    lines.map(([command, verdict, was]) => ({
      ...group,
      rules: sets[group.rules] ?? {},
      command,
      verdict,
      ...(was === undefined ? {} : { was }),
    })),
  );
}
