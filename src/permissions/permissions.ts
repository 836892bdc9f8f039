/**
 * What agents may do. Every call of every agent is judged here, by the rules of all files as they are at that moment; what
 * a person answers is kept here, as far as the answer reaches.
 */
import {
  builtinRules,
  builtinWriteDeny,
  decide,
  parseRule,
  PROJECT_READ,
  suggestRules,
  type Access,
  type AskedTool,
  type Decision,
  type ResolvedAccess,
  type Rule,
} from "../core/index.js";
import type { StarterKind } from "../protocol/api-permissions.js";
import { anchorRule } from "./anchor-rule.js";
import { HarnessConfigs } from "./config/harness-configs.js";
import { addRule, removeRule, type AddedRule, type RemovedRule } from "./files/add-rule.js";
import type { Flaw, RuleFileKind } from "./files/parse-rule-file.js";
import { projectFolders, realPath, type SeenFolders } from "./files/project-folders.js";
import { RuleFiles, type RuleFolders, type RuleSet } from "./files/rule-files.js";
import type { PermissionScope } from "./permission-scope.js";
import { RecentMap } from "./recent-map.js";
import { resolveAccesses } from "./resolve/resolve-accesses.js";
import { kindsOf, writeStarter, type WrittenStarter } from "./starter/starter-file.js";
import { accessesOf } from "./tools/tool-accesses.js";
import { TrustStore, type FolderTrust } from "./trust/trust-store.js";

export interface PermissionsOptions extends RuleFolders {
  readonly dataDir: string;
  readonly onProblem: (what: string, error: unknown) => void;
  readonly nowMs?: () => number;
}

/** For whom a call is judged. */
export interface Asking {
  readonly harness: string;
  readonly cwd: string;
  /** Rules that a person granted for this session alone. */
  readonly grants: readonly string[];
}

export type LastingScope = Exclude<PermissionScope, "once">;

/** What became of an answer that was to hold for more than once. */
export interface Granted {
  /** The rules that cover what was shown. */
  readonly rules: readonly string[];
  /** Where they were written; null: nowhere. */
  readonly file: string | null;
  /** Why the answer holds only once. */
  readonly problem: string | null;
}

/** What a folder brings along. */
export interface FolderReport extends FolderTrust {
  /** What it permits while it is trusted. */
  readonly allows: readonly string[];
}

export interface RuleReport extends RuleSet {
  /** Of the folders that bring something along, nearest first. */
  readonly trust: readonly FolderReport[];
}

export type Trusted =
  | { readonly ok: true; readonly report: FolderReport }
  /** `isConflict`: the state of things is against it, not the folder that was named. */
  | { readonly ok: false; readonly message: string; readonly isConflict: boolean };

/** What a program prints can look like a prompt of another: nothing that is read from a screen is answered by a rule. */
const SCREEN_HARNESS = "terminal";
const FROM_SCREEN: Decision = {
  verdict: "ask",
  rule: null,
  file: null,
  because: "It was read from a screen, which any program can imitate: only a person answers it.",
};

/** Sessions of one folder, each with its own grants. */
const RULE_LISTS_MAX = 32;

const NO_RULE_CAN = "No rule can permit this call, so that the answer holds once.";

export class Permissions {
  private readonly builtin: readonly Rule[];
  private readonly trust: TrustStore;
  private readonly files: RuleFiles;
  /** How agents are to be run. */
  readonly configs: HarnessConfigs;
  private readonly ruleLists = new WeakMap<RuleSet, RecentMap<readonly Rule[]>>();
  private readonly decisions = new WeakMap<ResolvedAccess, KnownDecision>();

  private originalOf: (folder: string) => string | null = () => null;

  constructor(private readonly options: PermissionsOptions) {
    const { dataDir, configDir, homeDir } = options;
    const folders = {
      ...{ configDir, homeDir },
      originalOf: (folder: string) => this.originalOf(folder),
    };
    this.builtin = builtinRules({ dataDir: realPath(dataDir), configDir: realPath(configDir) });
    this.trust = new TrustStore(configDir);
    this.files = new RuleFiles(folders, this.trust, options.nowMs);
    this.configs = new HarnessConfigs(folders, this.trust);
  }

  /** From now on what is said of an original counts in what was made of it: see `RuleFolders`. */
  carryOver(originalOf: (folder: string) => string | null): void {
    this.originalOf = originalOf;
  }

  /** Never throws: what cannot be judged is asked. */
  decide(asking: Asking, tool: AskedTool): Decision {
    return this.judge(asking, () => accessesOf(asking.harness, tool));
  }

  /** The same for something that is already in the words of the rules. */
  decideAccess(asking: Asking, access: Access): Decision {
    return this.judge(asking, () => [access]);
  }

  /** What a call would do, with every path followed; null: that cannot be told. */
  accesses({ harness, cwd }: Asking, tool: AskedTool): readonly ResolvedAccess[] | null {
    try {
      return resolveIn(this.files.foldersFor(cwd), accessesOf(harness, tool));
    } catch (error) {
      this.options.onProblem("what a call would do", error);
      return null;
    }
  }

  /** The rules that an answer for more than once would grant; none when nothing can ever permit it. */
  suggest(asking: Asking, tool: AskedTool): readonly string[] {
    if (asking.harness === SCREEN_HARNESS) return [];
    try {
      const project = this.files.foldersFor(asking.cwd);
      const set = this.files.rulesFor(asking.cwd, project);
      const accesses = resolveIn(project, accessesOf(asking.harness, tool));
      const suggested = suggestRules(accesses);
      const granted = this.allRules(set, suggested);
      // What would not help is not offered.
      return decide(accesses, granted, []).verdict === "allow" ? suggested : [];
    } catch (error) {
      this.options.onProblem("rules for an ask", error);
      return [];
    }
  }

  /** Keeps what a person granted. What cannot be kept holds once, and the reason is told. */
  grant(asking: Asking, scope: LastingScope, tool: AskedTool): Granted {
    const suggested = this.suggest(asking, tool);
    if (suggested.length === 0) return { rules: [], file: null, problem: NO_RULE_CAN };
    if (scope === "session") return { rules: suggested, file: null, problem: null };
    const { projectDir } = projectFolders(asking.cwd, this.options.homeDir);
    const rules = scope === "always" ? suggested.map((rule) => anchorRule(rule, projectDir)) : suggested;
    const target = this.fileFor(scope, asking.cwd);
    for (const rule of rules) {
      const added = addRule(target, "grant", rule);
      if (!added.ok) return { rules, file: null, problem: `${added.message}. The answer holds once.` };
    }
    return { rules, file: target.file, problem: null };
  }

  /** A rule of the person's own, for everything or for the project that `cwd` is in. */
  add(rule: string, effect: Rule["effect"], scope: "project" | "always", cwd: string): AddedRule {
    return addRule(this.fileFor(scope, cwd), effect, rule);
  }

  /** Takes a rule out of the person's own; `effect`: null is whichever list holds it. */
  remove(rule: string, effect: Rule["effect"] | null, scope: "project" | "always", cwd: string): RemovedRule {
    return removeRule(this.fileFor(scope, cwd), effect, rule);
  }

  /** A first file for the project that `cwd` is in; `kinds`: null is what its files tell. */
  init(kinds: readonly StarterKind[] | null, cwd: string): WrittenStarter {
    const project = projectFolders(cwd, this.options.homeDir);
    const { projectDir } = project;
    if (!isProjectOnly(project)) {
      const message = `${projectDir} is your home folder, or holds it, and no project: name one with --cwd`;
      return { ok: false, message };
    }
    return writeStarter(this.files.personalFile(projectDir), kinds ?? kindsOf([projectDir, project.cwd]));
  }

  /** What the project that `cwd` is in is made with, by its files. */
  kindsIn(cwd: string): readonly StarterKind[] {
    const project = projectFolders(cwd, this.options.homeDir);
    return kindsOf(isProjectOnly(project) ? [project.projectDir, project.cwd] : [project.cwd]);
  }

  /** Every rule that has a say over `cwd`, where it stands, and whether it counts. */
  report(cwd: string): RuleReport {
    const set = this.files.rulesFor(cwd);
    const trust = set.project.folders
      .map((folder) => this.folderReport(folder))
      .filter(({ content }) => content.type !== "none");
    return { ...set, rules: this.allRules(set, []), trust };
  }

  /** Where the person's own files are. */
  get folders(): RuleFolders {
    return this.options;
  }

  /** Whether what this very folder brings along may run something. Never throws: what cannot be known is not trusted. */
  isTrusted(dir: string): boolean {
    try {
      return this.files.trustOf(realPath(dir)).state === "trusted";
    } catch (error) {
      this.options.onProblem("the trust in a folder", error);
      return false;
    }
  }

  /** `seenHash`: what the person was shown; other files than those are not trusted. */
  trustFolder(dir: string, seenHash: string | null, atMs: number): Trusted {
    const folder = this.files.ownerOf(realPath(dir));
    const { content } = this.files.trustOf(folder);
    const refuse = (message: string, isConflict: boolean): Trusted => ({ ok: false, message, isConflict });
    if (content.type === "none")
      return refuse(`${folder} has no .signalbox folder: there is nothing to trust`, false);
    if (content.type === "unfit")
      return refuse(`${folder}/.signalbox cannot be trusted: ${content.why}`, false);
    if (seenHash !== null && content.hash !== seenHash)
      return refuse(`${folder}/.signalbox has changed since it was shown`, true);
    return this.changePins(folder, () => this.trust.pin(folder, content.hash, atMs));
  }

  /** Trusts it no more, if it was trusted. */
  revoke(dir: string): Trusted {
    const folder = this.files.ownerOf(realPath(dir));
    return this.changePins(folder, () => this.trust.unpin(folder));
  }

  private changePins(folder: string, change: () => void): Trusted {
    try {
      change();
      return { ok: true, report: this.folderReport(folder) };
    } catch (error) {
      // The pins are broken, or the disk is full: a person can mend both.
      const message = error instanceof Error ? error.message : String(error);
      return { ok: false, message, isConflict: true };
    }
  }

  private folderReport(folder: string): FolderReport {
    const allows = this.files.repositoryRulesOf(folder).filter(({ effect }) => effect === "allow");
    const texts = [...allows.map(({ text }) => text), ...this.configs.linesOf(this.files.ownerOf(folder))];
    return { ...this.files.trustOf(folder), allows: texts };
  }

  private judge(asking: Asking, accessesOfCall: () => readonly Access[]): Decision {
    if (asking.harness === SCREEN_HARNESS) return FROM_SCREEN;
    try {
      const project = this.files.foldersFor(asking.cwd);
      const set = this.files.rulesFor(asking.cwd, project);
      const accesses = resolveIn(project, accessesOfCall());
      const rules = this.rulesOf(set, asking.grants);
      // Deciding is pure: the same objects have the same decision. What files say, and where paths lead, was looked at
      // just now; only what is the same as before is the same object.
      const [only] = accesses.length === 1 ? accesses : [];
      const known = only === undefined ? undefined : this.decisions.get(only);
      if (known?.rules === rules && known.set === set) return known.decision;
      const decision = this.decideAnew(accesses, rules, set);
      if (only !== undefined) this.decisions.set(only, { rules, set, decision });
      return decision;
    } catch (error) {
      this.options.onProblem("a decision", error);
      const because = `The rules could not be applied: ${error instanceof Error ? error.message : String(error)}`;
      return { verdict: "ask", rule: null, file: null, because };
    }
  }

  private decideAnew(accesses: readonly ResolvedAccess[], rules: readonly Rule[], set: RuleSet): Decision {
    const decision = decide(accesses, rules, set.flaws.map(inWords));
    return { ...decision, because: decision.because + this.untrustedNote(decision, accesses, rules, set) };
  }

  /** The same list for the same files and grants. */
  private rulesOf(set: RuleSet, grants: readonly string[]): readonly Rule[] {
    const lists = this.ruleLists.get(set) ?? new RecentMap<readonly Rule[]>(RULE_LISTS_MAX);
    this.ruleLists.set(set, lists);
    const key = grants.length === 0 ? "" : JSON.stringify(grants);
    const known = lists.get(key);
    if (known) return known;
    const rules = this.allRules(set, grants);
    lists.set(key, rules);
    return rules;
  }

  /** A person's own rule is named before the built-in one that says the same. */
  private allRules(set: RuleSet, grants: readonly string[]): readonly Rule[] {
    const { linked, project, rules } = set;
    const written = [...rules, ...grantRules(grants, set)];
    const reads = isProjectOnly(project) ? [PROJECT_READ] : [];
    return [...this.builtin, ...linked.map(builtinWriteDeny), ...written, ...reads];
  }

  /** A person who wonders why a rule of the repository does not count is told. */
  private untrustedNote(
    { verdict }: Decision,
    accesses: readonly ResolvedAccess[],
    rules: readonly Rule[],
    { untrusted }: RuleSet,
  ): string {
    if (verdict !== "none" || untrusted.length === 0) return "";
    const { verdict: otherwise, rule, file } = decide(accesses, [...rules, ...untrusted], []);
    if (otherwise !== "allow") return "";
    return ` ${rule ?? "A rule"} in ${file ?? "a repository"} would allow it, but its folder is not trusted.`;
  }

  private fileFor(scope: "project" | "always", cwd: string): RuleFileKind {
    if (scope === "always") return this.files.globalFile();
    return this.files.personalFile(projectFolders(cwd, this.options.homeDir).projectDir);
  }
}

interface KnownDecision {
  readonly rules: readonly Rule[];
  readonly set: RuleSet;
  readonly decision: Decision;
}

/** The home folder, or one above it, holds keys and letters: who works there has no project. */
function isProjectOnly({ projectDir, home }: RuleSet["project"]): boolean {
  return !`${home}/`.startsWith(projectDir === "/" ? "/" : `${projectDir}/`);
}

function resolveIn(
  { cwd, projectDir, home, stamps }: SeenFolders,
  accesses: readonly Access[],
): readonly ResolvedAccess[] {
  return resolveAccesses(accesses, { cwd, projectDir, homeDir: home, followed: stamps });
}

function grantRules(texts: readonly string[], { project }: RuleSet): readonly Rule[] {
  return texts.flatMap((text): readonly Rule[] => {
    const parsed = parseRule(text);
    if (!parsed.ok) return [];
    const { category, pattern } = parsed;
    const origin = { file: null, line: null, kind: "grant", root: project.projectDir } as const;
    return [{ effect: "grant", category, pattern, text, origin }];
  });
}

function inWords({ file, line, column, message }: Flaw): { readonly file: string; readonly message: string } {
  return { file, message: line === null ? message : `line ${line}, column ${column ?? 1}: ${message}` };
}
