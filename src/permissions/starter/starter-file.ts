/** A first file for a project: what its everyday work needs, with words beside it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { STARTER_KINDS, type StarterKind } from "../../protocol/api-permissions.js";
import { changeRuleFile, firstText, refuse, type Refused } from "../files/change-rule-file.js";
import { parseRuleFile, type RuleFileKind } from "../files/parse-rule-file.js";
import { COMMON_ALLOW, COMMON_ASK, COMMON_DENY, starterRules, STARTERS, type RuleGroup } from "./starters.js";

export type WrittenStarter =
  | {
      readonly ok: true;
      readonly file: string;
      readonly kinds: readonly StarterKind[];
      readonly ruleCount: number;
    }
  | Refused;

/** By the files that lie in these folders. */
export function kindsOf(folders: readonly string[]): readonly StarterKind[] {
  return STARTER_KINDS.filter((kind) =>
    STARTERS[kind].files.some((name) => folders.some((folder) => existsSync(join(folder, name)))),
  );
}

/** Never over a file that is there. */
export function writeStarter(target: RuleFileKind, kinds: readonly StarterKind[]): WrittenStarter {
  const { file } = target;
  const changed = changeRuleFile(target, ({ isThere }) => {
    if (isThere)
      return refuse(
        `${file} is there already, and is left as it is: add to it with signalbox permissions add`,
      );
    const text = starterText(target, kinds);
    const { rules, flaws } = parseRuleFile(Buffer.from(text), target);
    const [flaw] = flaws;
    if (flaw) throw new Error(`the starter file has a flaw: ${flaw.message}`);
    return { ok: true, text, told: rules.length };
  });
  return changed.ok ? { ok: true, file, kinds, ruleCount: changed.told } : changed;
}

function starterText(target: RuleFileKind, kinds: readonly StarterKind[]): string {
  const own = kinds.map((kind) => ({ kind, ...starterRules(kind) }));
  const allow = own.map(({ kind, allow: rules }) => ({ about: `${kind}: tests, builds, checks`, rules }));
  const ask = own.map(({ kind, ask: rules }) => ({ about: `${kind}: what others get`, rules }));
  return [
    firstText(target),
    "# A start, for you to change: it counts as it is saved. Any deny wins, then ask, then allow.",
    "# What stands in none of the lists is asked, or answered by the wall around the agent.",
    "[permissions]",
    list("allow", [...COMMON_ALLOW, ...allow]),
    list("ask", [...COMMON_ASK, ...ask]),
    list("deny", COMMON_DENY),
  ].join("\n");
}

function list(name: string, groups: readonly RuleGroup[]): string {
  const lines = groups.flatMap(({ about, rules }) => [
    `  # ${about}`,
    ...rules.map((rule) => `  ${JSON.stringify(rule)},`),
  ]);
  return `${name} = [\n${lines.join("\n")}\n]\n`;
}
