/** Every rule file that has a say over a working directory, as the files are now. */
import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import type { Rule } from "../../core/index.js";
import type { FolderTrust, TrustStore } from "../trust/trust-store.js";
import { RecentMap } from "../recent-map.js";
import { FileCache, type FileContent } from "./file-cache.js";
import { parseRuleFile, type Flaw, type ParsedRuleFile, type RuleFileKind } from "./parse-rule-file.js";
import { lookAt } from "../look-at.js";
import { FolderLooks } from "./folder-looks.js";
import { LinkedFiles } from "./linked-files.js";
import {
  projectFolders,
  realPath,
  repositoryRules,
  type ProjectFolders,
  type SeenFolders,
} from "./project-folders.js";

export interface RuleSet {
  readonly project: ProjectFolders;
  /** Those that count. */
  readonly rules: readonly Rule[];
  /** What folders permit that nobody has trusted: it does not count. */
  readonly untrusted: readonly Rule[];
  readonly flaws: readonly Flaw[];
  /** Patterns for where the files really are, of those that are reached by a link. */
  readonly linked: readonly string[];
}

export interface RuleFolders {
  /** Where the person's own files are. */
  readonly configDir: string;
  readonly homeDir: string;
  /**
   * The folder whose files count in a folder's place: that of a checkout which agents work in is the original, so that
   * nothing that they write there is a rule or has anybody's trust. Null: its own.
   */
  readonly originalOf?: (folder: string) => string | null;
}

const KNOWN_MAX = 256;

export class RuleFiles {
  private readonly cache: FileCache<ParsedRuleFile>;
  /** By checkout. */
  private readonly checkouts = new RecentMap<FileCache<ParsedRuleFile>>(KNOWN_MAX);
  private readonly looks: FolderLooks;
  private readonly linked: LinkedFiles;
  private readonly sets = new RecentMap<KnownSet>(KNOWN_MAX);
  private readonly personalFiles = new RecentMap<PersonalFile>(KNOWN_MAX);
  /** By what the cache gave, so that what has not changed is the same object. */
  private readonly readFiles = new WeakMap<FileContent<ParsedRuleFile>, ReadFile>();
  private readonly narrowed = new WeakMap<ReadFile, ReadFile>();
  /** Followed once: what leads to a person's home does not change while they are at work. */
  private readonly home: string;
  private readonly config: string;

  constructor(
    private readonly folders: RuleFolders,
    private readonly trust: TrustStore,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.home = realPath(resolve(folders.homeDir));
    this.config = realPath(resolve(folders.configDir));
    this.cache = new FileCache(nowMs);
    this.looks = new FolderLooks(nowMs);
    this.linked = new LinkedFiles(this.looks);
  }

  foldersFor(workingDir: string): SeenFolders {
    return withOriginal(
      projectFolders(workingDir, this.folders.homeDir, this.home, this.looks),
      this.folders,
    );
  }

  /** Whose files they are. */
  ownerOf(folder: string): string {
    return this.folders.originalOf?.(folder) ?? folder;
  }

  /** The same object as the last time, when every file is. `project`: as it was seen just now. */
  rulesFor(workingDir: string, project: SeenFolders = this.foldersFor(workingDir)): RuleSet {
    const parts = [
      this.read(this.globalFile()),
      ...this.personalRules(project),
      ...project.folders.map((folder) => (this.isBare(project, folder) ? NO_FILE : this.repository(folder))),
    ];
    const linked = this.linkedFiles(project, parts);
    const known = this.sets.get(workingDir);
    if (known && isSame(known, project, parts, linked)) return known.set;
    const set = {
      project,
      rules: parts.flatMap(({ rules }) => rules),
      untrusted: parts.flatMap(({ untrusted }) => untrusted),
      flaws: parts.flatMap(({ flaws }) => flaws),
      linked,
    };
    this.sets.set(workingDir, { parts, set });
    return set;
  }

  private isBare({ bare }: SeenFolders, folder: string): boolean {
    return bare.has(folder) && this.ownerOf(folder) === folder;
  }

  /** A link may lead elsewhere the next time: it is followed each time. `parts`: the global file's, then personal ones. */
  private linkedFiles({ folders, bare }: SeenFolders, parts: readonly ReadFile[]): readonly string[] {
    const personal = folders
      .filter((_, index) => parts[index + 1] !== NO_FILE)
      .map((folder) =>
        join(this.config, "projects", this.namedPersonalFile(folder).name, "permissions.toml"),
      );
    const named = folders.filter((folder) => !bare.has(folder));
    return [
      ...this.linked.inConfig(this.config, personal),
      ...named.flatMap((folder) => this.linked.inFolder(folder)),
    ];
  }

  trustOf(folder: string): FolderTrust {
    return this.trust.trustOf(this.ownerOf(folder), this.read(this.repositoryFile(folder)).hash);
  }

  /** Whether they count or not. */
  repositoryRulesOf(folder: string): readonly Rule[] {
    return this.read(this.repositoryFile(folder)).rules;
  }

  globalFile(): RuleFileKind {
    const file = join(this.folders.configDir, "permissions.toml");
    return { file, kind: "global", root: null, mayGrant: true, folder: null };
  }

  /** What a person says about a folder, in the person's own config: a repository cannot write it. */
  personalFile(folder: string): RuleFileKind {
    return this.namedPersonalFile(folder).kind;
  }

  private namedPersonalFile(folder: string): PersonalFile {
    const owner = this.ownerOf(folder);
    const key = `${folder}\0${owner}`;
    const known = this.personalFiles.get(key);
    if (known) return known;
    const label = basename(owner)
      .replaceAll(/[^A-Za-z0-9._-]/g, "_")
      .slice(0, 60);
    const id = createHash("sha256").update(owner).digest("hex").slice(0, 16);
    const name = `${id}-${label}`;
    const file = join(this.personalDir(), name, "permissions.toml");
    const kind: RuleFileKind = { file, kind: "project", root: folder, mayGrant: true, folder: owner };
    this.personalFiles.set(key, { name, kind });
    return { name, kind };
  }

  private personalDir(): string {
    return join(this.folders.configDir, "projects");
  }

  /** Few folders have any: one look at where all of them would be. */
  private personalRules({ folders, projectDir }: ProjectFolders): readonly ReadFile[] {
    const dir = this.personalDir();
    const seen = lookAt(dir);
    if (seen === "none") return folders.map(() => NO_FILE);
    const stamp = typeof seen === "object" && seen.isDirectory() ? this.looks.stampOf(dir, seen) : null;
    return folders.map((folder) => {
      const { name, kind } = this.namedPersonalFile(folder);
      if (stamp !== null && this.looks.entryOf(dir, name, stamp) === "none") return NO_FILE;
      const read = this.read(kind);
      // What narrows counts for all that is below a folder; what widens, only for the project that it was said of.
      return folder === projectDir ? read : this.narrow(read, []);
    });
  }

  /** What narrows always counts; what widens, only when a person has seen these very bytes and trusts the folder. */
  private repository(folder: string): ReadFile {
    const read = this.read(this.repositoryFile(folder));
    if (read.hash === null || read.rules.every(isNarrowing)) return read;
    if (this.trust.isTrusted(this.ownerOf(folder), read.hash)) return read;
    return this.narrow(
      read,
      read.rules.filter((rule) => !isNarrowing(rule)),
    );
  }

  /** A file is either a person's or a repository's: what is untrusted of it is always the same. */
  private narrow(read: ReadFile, untrusted: readonly Rule[]): ReadFile {
    const known = this.narrowed.get(read);
    if (known) return known;
    const narrowed = { ...read, rules: read.rules.filter(isNarrowing), untrusted };
    this.narrowed.set(read, narrowed);
    return narrowed;
  }

  /** Of the original, as if it were here. */
  private repositoryFile(folder: string): RuleFileKind {
    const owner = this.ownerOf(folder);
    return owner === folder ? repositoryFile(folder) : { ...repositoryFile(owner), root: folder };
  }

  /** The same file has other roots in other checkouts. */
  private cacheFor({ root }: RuleFileKind): FileCache<ParsedRuleFile> {
    if (root === null || this.ownerOf(root) === root) return this.cache;
    const known = this.checkouts.get(root);
    if (known) return known;
    const made = new FileCache<ParsedRuleFile>(this.nowMs);
    this.checkouts.set(root, made);
    return made;
  }

  private read(kind: RuleFileKind): ReadFile {
    const content = this.cacheFor(kind).read(kind.file, (bytes) => parseRuleFile(bytes, kind));
    switch (content.type) {
      case "missing":
        return NO_FILE;
      case "unreadable": {
        const flaw = { file: kind.file, line: null, column: null, message: `cannot be read: ${content.why}` };
        return { ...NO_FILE, flaws: [flaw] };
      }
      case "file": {
        const known = this.readFiles.get(content);
        if (known) return known;
        const read = { ...content.value, hash: content.hash, untrusted: [] };
        this.readFiles.set(content, read);
        return read;
      }
    }
  }
}

/** What counts above the original counts for what was made of it. */
export function withOriginal<T extends ProjectFolders>(seen: T, { homeDir, originalOf }: RuleFolders): T {
  const original = originalOf?.(seen.projectDir) ?? null;
  if (original === null) return seen;
  const above = projectFolders(dirname(original), homeDir).folders;
  return { ...seen, folders: [...new Set([...seen.folders, ...above])] };
}

interface PersonalFile {
  /** Of the folder that it is in. */
  readonly name: string;
  readonly kind: RuleFileKind;
}

interface KnownSet {
  readonly parts: readonly ReadFile[];
  readonly set: RuleSet;
}

function isSame(
  { parts: before, set }: KnownSet,
  project: ProjectFolders,
  parts: readonly ReadFile[],
  linked: readonly string[],
): boolean {
  const { cwd, projectDir, folders } = set.project;
  return (
    cwd === project.cwd &&
    projectDir === project.projectDir &&
    folders.length === project.folders.length &&
    folders.every((folder, index) => folder === project.folders[index]) &&
    before.every((part, index) => part === parts[index]) &&
    set.linked.join("\0") === linked.join("\0")
  );
}

interface ReadFile extends ParsedRuleFile {
  /** Of its bytes; null when there are none. */
  readonly hash: string | null;
  readonly untrusted: readonly Rule[];
}

const NO_FILE: ReadFile = { rules: [], flaws: [], hash: null, untrusted: [] };

const repositoryFiles = new RecentMap<RuleFileKind>(KNOWN_MAX);

function repositoryFile(folder: string): RuleFileKind {
  const known = repositoryFiles.get(folder);
  if (known) return known;
  const file = repositoryRules(folder);
  const named: RuleFileKind = { file, kind: "project", root: folder, mayGrant: false, folder: null };
  repositoryFiles.set(folder, named);
  return named;
}

function isNarrowing({ effect }: Rule): boolean {
  return effect === "deny" || effect === "ask";
}
