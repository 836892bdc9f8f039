/** Every rule file that has a say over a working directory, as the files are now. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Rule } from "../../core/index.js";
import type { FolderTrust, TrustStore } from "../trust/trust-store.js";
import { FileCache } from "./file-cache.js";
import { parseRuleFile, type Flaw, type ParsedRuleFile, type RuleFileKind } from "./parse-rule-file.js";
import { projectFolders, repositoryRules, type ProjectFolders } from "./project-folders.js";

export interface RuleSet {
  readonly project: ProjectFolders;
  /** Those that count. */
  readonly rules: readonly Rule[];
  /** What folders permit that nobody has trusted: it does not count. */
  readonly untrusted: readonly Rule[];
  readonly flaws: readonly Flaw[];
}

export interface RuleFolders {
  /** Where the person's own files are. */
  readonly configDir: string;
  readonly homeDir: string;
}

export class RuleFiles {
  private readonly cache = new FileCache<ParsedRuleFile>();

  constructor(
    private readonly folders: RuleFolders,
    private readonly trust: TrustStore,
  ) {}

  rulesFor(workingDir: string): RuleSet {
    const project = projectFolders(workingDir, this.folders.homeDir);
    const parts = [
      this.read(this.globalFile()),
      ...project.folders.map((folder) => this.personal(folder, project)),
      ...project.folders.map((folder) => this.repository(folder)),
    ];
    return {
      project,
      rules: parts.flatMap(({ rules }) => rules),
      untrusted: parts.flatMap(({ untrusted }) => untrusted),
      flaws: parts.flatMap(({ flaws }) => flaws),
    };
  }

  trustOf(folder: string): FolderTrust {
    return this.trust.trustOf(folder, this.read(repositoryFile(folder)).hash);
  }

  /** Whether they count or not. */
  repositoryRulesOf(folder: string): readonly Rule[] {
    return this.read(repositoryFile(folder)).rules;
  }

  globalFile(): RuleFileKind {
    const file = join(this.folders.configDir, "permissions.toml");
    return { file, kind: "global", root: null, mayGrant: true, folder: null };
  }

  /** What a person says about a folder, in the person's own config: a repository cannot write it. */
  personalFile(folder: string): RuleFileKind {
    const name = basename(folder)
      .replaceAll(/[^A-Za-z0-9._-]/g, "_")
      .slice(0, 60);
    const id = createHash("sha256").update(folder).digest("hex").slice(0, 16);
    const file = join(this.folders.configDir, "projects", `${id}-${name}`, "permissions.toml");
    return { file, kind: "project", root: folder, mayGrant: true, folder };
  }

  /** What narrows counts for all that is below a folder; what widens, only for the project that it was said of. */
  private personal(folder: string, { projectDir }: ProjectFolders): ReadFile {
    const read = this.read(this.personalFile(folder));
    return folder === projectDir ? read : { ...read, rules: read.rules.filter(isNarrowing) };
  }

  /** What narrows always counts; what widens, only when a person has seen these very bytes and trusts the folder. */
  private repository(folder: string): ReadFile {
    const read = this.read(repositoryFile(folder));
    const widening = read.rules.filter((rule) => !isNarrowing(rule));
    if (widening.length === 0 || read.hash === null || this.trust.isTrusted(folder, read.hash)) return read;
    return { ...read, rules: read.rules.filter(isNarrowing), untrusted: widening };
  }

  private read(kind: RuleFileKind): ReadFile {
    const content = this.cache.read(kind.file, (bytes) => parseRuleFile(bytes, kind));
    switch (content.type) {
      case "missing":
        return NO_FILE;
      case "unreadable": {
        const flaw = { file: kind.file, line: null, column: null, message: `cannot be read: ${content.why}` };
        return { ...NO_FILE, flaws: [flaw] };
      }
      case "file":
        return { ...content.value, hash: content.hash, untrusted: [] };
    }
  }
}

interface ReadFile extends ParsedRuleFile {
  /** Of its bytes; null when there are none. */
  readonly hash: string | null;
  readonly untrusted: readonly Rule[];
}

const NO_FILE: ReadFile = { rules: [], flaws: [], hash: null, untrusted: [] };

function repositoryFile(folder: string): RuleFileKind {
  return { file: repositoryRules(folder), kind: "project", root: folder, mayGrant: false, folder: null };
}

function isNarrowing({ effect }: Rule): boolean {
  return effect === "deny" || effect === "ask";
}
