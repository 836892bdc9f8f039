/** What the rules say of a shell line: of every command in it, of every file and host that it names. */
import { fileUse, judge, named, onOneLine, shown, type Cover, type Finding } from "./finding.js";
import { nameRuleMatches } from "./name-rule.js";
import { pathRuleCovers, pathRuleReaches, type Reach } from "./path-rule.js";
import type { ShellAccess } from "./resolved-access.js";
import type { RuleGroups, RulesByEffect } from "./rule-groups.js";
import type { Rule } from "./rule.js";
import type { Hint, SimpleCommand } from "./shell-analysis.js";
import { patternCovers } from "./shell-cover.js";
import { shellPatternOf } from "./shell-pattern.js";
import { patternReaches } from "./shell-reach.js";
import { spend, unlessTooMuch } from "./work.js";

export function judgeShell(access: ShellAccess, groups: RuleGroups): readonly Finding[] {
  const { commands, glimpses, hints, opaque } = access.analysis;
  const judged = commands.map((command, index) => judgeCommand(commands, command, index, groups));
  const grants = grantsOf(commands, judged);
  const findings = [
    judgeLine(access, groups.shellWhole),
    ...judged.map((finding, index) => whatCounts(finding, commands[index], grants[index])),
    ...judgeFiles(access, groups.files, grants),
    ...judgeHosts(access, groups.names.Web, grants),
    ...glimpses.map((words) => judgeGlimpse(words, groups)),
    ...hints.map((hint) => judgeHint(hint, groups)),
    opaque === null ? null : judgeOpaque(opaque, groups.mayHide),
  ];
  return findings.filter((finding) => finding !== null);
}

/** `Shell` without parentheses is about every line, whatever can be seen of it. */
function judgeLine({ command, analysis, files }: ShellAccess, wholeRules: RulesByEffect): Finding | null {
  const what = () => `the line ${shown(command)}`;
  const finding = judge({ what, reach: () => "yes", cover: () => "wide" }, wholeRules);
  // A line that only opens files, such as `> a.log`, is what they are.
  if (finding.verdict === "none" && analysis.opaque === null && files.length > 0) return null;
  // Where there are commands, allows and asks are judged with each of them: a grant of one goes before its ask.
  return analysis.commands.length === 0 || finding.verdict === "deny" ? finding : null;
}

function judgeCommand(
  commands: readonly SimpleCommand[],
  command: SimpleCommand,
  index: number,
  { shell, shellFor }: RuleGroups,
): Finding {
  const what = () => {
    const inside = command.wrappers.length === 0 ? "" : `, which ${command.wrappers.join(" and ")} would run`;
    const place = command.elsewhere.length === 0 ? "" : ", a file of another folder";
    return `${shown(command.text)}${inside}${place}`;
  };
  return judge(
    { what, reach: (rule) => reachOf(rule, command), cover: (rule) => coverOf(rule, commands, index) },
    // A computed name may be any.
    command.unknown.includes(0) ? shell : shellFor(command.words[0] ?? ""),
  );
}

function reachOf(rule: Rule, { words, unknown, values }: SimpleCommand): Reach {
  if (rule.pattern === null) return "yes";
  // Every computed name may be one of Signalbox's commands. Such a line is never allowed anyway.
  if (rule.origin.kind === "builtin" && unknown.includes(0)) return "no";
  const pattern = shellPatternOf(rule);
  return pattern ? patternReaches(pattern, words, unknown, values) : "maybe";
}

/** Who allowed `sudo ls` to the letter has allowed the `ls` in it. */
function coverOf(rule: Rule, commands: readonly SimpleCommand[], index: number): Cover {
  if (rule.pattern === null) return "wide";
  const pattern = shellPatternOf(rule);
  const command = commands[index];
  if (!pattern || !command) return "no";
  if (patternCovers(pattern, command)) return pattern.isExact ? "exact" : "wide";
  return command.outer !== null && coverOf(rule, commands, command.outer) === "exact" ? "exact" : "no";
}

/** How each command is granted. What only runs others is granted with them. */
function grantsOf(commands: readonly SimpleCommand[], judged: readonly Finding[]): readonly Cover[] {
  const grants: Cover[] = [];
  // Commands stand after those that run them: from the end, the inner ones are known first.
  for (let index = commands.length - 1; index >= 0; index -= 1) {
    const finding = judged[index];
    const inner = grants.filter((_, other) => commands[other]?.outer === index);
    if (finding?.verdict === "grant")
      grants[index] = finding.rule ? coverOf(finding.rule, commands, index) : "no";
    else if (commands[index]?.needsAllow === false && inner.length > 0) grants[index] = least(inner);
    else grants[index] = "no";
  }
  return grants;
}

function least(covers: readonly Cover[]): Cover {
  if (covers.includes("no")) return "no";
  return covers.includes("wide") ? "wide" : "exact";
}

/** What only runs others need not be allowed; and an ask about it is answered by the grant of what it runs. */
function whatCounts(
  finding: Finding,
  command: SimpleCommand | undefined,
  grant: Cover | undefined,
): Finding | null {
  if (command?.needsAllow !== false || finding.verdict === "deny") return finding;
  return finding.verdict === "ask" && grant === "no" ? finding : null;
}

function judgeFiles(
  { files }: ShellAccess,
  rules: RulesByEffect,
  grants: readonly Cover[],
): readonly (Finding | null)[] {
  return files.map(({ use, access }) => {
    const what = () => fileUse(access, use.demand === "allow");
    const reach = (rule: Rule) => inDoubt(rule, pathRuleReaches(rule, access), use.certain);
    if (use.demand === "allow") {
      const cover = (rule: Rule) => (pathRuleCovers(rule, access) ? "exact" : "no");
      return judge({ what, reach, cover }, rules);
    }
    return unlessGranted(judge({ what, reach, cover: () => "no" }, rules), use.command, grants);
  });
}

function judgeHosts(
  { hosts }: ShellAccess,
  rules: RulesByEffect,
  grants: readonly Cover[],
): readonly (Finding | null)[] {
  return hosts.map(({ use, access }) => {
    const isComputed = use.host === "";
    const reach = (rule: Rule): Reach =>
      isComputed ? "maybe" : inDoubt(rule, nameRuleMatches(rule, access) ? "yes" : "no", use.certain);
    const what = () => `a call to ${isComputed ? "a host that is computed" : shown(access.host)}`;
    const finding = judge({ what, reach, cover: () => "no" }, rules);
    return unlessGranted(finding, use.command, grants);
  });
}

/** Of a program that we do not know, we do not know what it does with the names that it is given. */
function inDoubt(rule: Rule, reach: Reach, certain: boolean): Reach {
  return reach === "yes" && !certain && rule.origin.kind !== "builtin" ? "maybe" : reach;
}

/** What a command does with its operands needs no allow; denies hold, and asks unless the command itself was granted. */
function unlessGranted(finding: Finding, command: number | null, grants: readonly Cover[]): Finding | null {
  if (finding.verdict === "deny") return finding;
  const grant = command === null ? "no" : (grants[command] ?? "no");
  const isLifted = grant === "exact" || (grant === "wide" && finding.rule?.effect === "ask");
  return finding.verdict === "ask" && !isLifted ? finding : null;
}

const GLIMPSE_LENGTH = 16;

/** A program and a word of its own are enough to deny; a name alone may stand for anything, and asks. */
function judgeGlimpse(words: readonly string[], groups: RuleGroups): Finding | null {
  const seen = rulesAbout(words, groups);
  const deny = seen.find(({ rule }) => rule.effect === "deny" && wordCount(rule) > 1);
  return deny ? isHidden(deny) : mayBeHidden(seen[0]);
}

function isHidden({ rule, place }: Seen): Finding {
  const because = () => `${named(rule)} denies ${hidden(place)}, which is hidden in it.`;
  return { verdict: "deny", rule, because };
}

/** A program that is not known may run what it is given, or only speak of it. */
function judgeHint({ words, isText }: Hint, groups: RuleGroups): Finding | null {
  const seen = rulesAbout(words, groups).filter(({ rule }) => !isText || wordCount(rule) > 1);
  const own = isText ? undefined : seen.find(({ rule }) => rule.origin.kind === "builtin");
  return own ? isHidden(own) : mayBeHidden(seen[0]);
}

function mayBeHidden(seen: Seen | undefined): Finding | null {
  if (!seen) return null;
  const { rule, place } = seen;
  const because = () => `${named(rule)} may be about ${hidden(place)}, which is among its words.`;
  return { verdict: "ask", rule, because };
}

const HIDDEN_WORDS_SHOWN = 4;

function hidden(place: readonly string[]): string {
  return shown(place.slice(0, HIDDEN_WORDS_SHOWN).join(" "));
}

function wordCount(rule: Rule): number {
  return shellPatternOf(rule)?.words.filter((word) => !word.isAny).length ?? 0;
}

/** A rule, and the words that it is about. */
interface Seen {
  readonly rule: Rule;
  readonly place: readonly string[];
}

/** Denies and asks that are about a command which begins at one of these words, in their order. */
function rulesAbout(words: readonly string[], groups: RuleGroups): readonly Seen[] {
  const seen = new Map<Rule, readonly string[]>();
  unlessTooMuch(() => {
    for (const start of words.keys()) addRulesAt(words.slice(start, start + GLIMPSE_LENGTH), groups, seen);
  }, undefined);
  if (seen.size === 0) return [];
  return groups.shellNarrowing.flatMap((rule) => {
    const place = seen.get(rule);
    return place ? [{ rule, place }] : [];
  });
}

function addRulesAt(
  place: readonly string[],
  { shellFor }: RuleGroups,
  seen: Map<Rule, readonly string[]>,
): void {
  const { deny, ask } = shellFor(place[0] ?? "");
  spend(1 + deny.length + ask.length);
  for (const rule of [...deny, ...ask]) {
    const pattern = rule.pattern === null || seen.has(rule) ? null : shellPatternOf(rule);
    if (pattern && patternReaches(pattern, place, []) === "yes") seen.set(rule, place);
  }
}

/** What cannot be seen through may hide what a person has denied, so that nobody but a person answers it. */
function judgeOpaque(reason: string, mayHide: boolean): Finding {
  const because = () => `No rule can allow it: ${onOneLine(reason)}.`;
  return { verdict: mayHide ? "ask" : "none", rule: null, because };
}
