/**
 * Denies about files, as the files that are there when a run starts: what `Read` denies is hidden, what `Write` denies is
 * read-only.
 *
 * Mounts are slow in number and files are many, so both are bounded. Beyond a bound the folder that a rule names is taken
 * whole; a rule that names none refuses the start. A file that is not there yet cannot be held, which is a gap.
 */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";
import type { Rule } from "../core/index.js";
import { literalStarts, PatternError, type PathGlob } from "../core/permissions/path-glob.js";
import { parsePathPattern, pathRuleReaches } from "../core/permissions/path-rule.js";
import { byDepth, isBelow, isWithin } from "./layers.js";
import type { Mask } from "./wall-input.js";

export const MASKS_MAX = 200;
export const ENTRIES_MAX = 20_000;

/** Installed from elsewhere and very many: a rule is about them only if it names them. */
const PACKAGE_FOLDERS = [
  "node_modules",
  ".venv",
  "site-packages",
  "__pycache__",
  ".pnpm-store",
  "bower_components",
];

export interface MaskRequest {
  readonly rules: readonly Rule[];
  /** Real. Patterns without a root of their own start from it. */
  readonly project: string;
  /** Real. */
  readonly home: string;
  /** Real folders in which rules are looked for: the session's, and what is shown beside. */
  readonly folders: readonly string[];
  /** Relative to `workTree`, which is real. Null: not known. Asked only when there are rules that it matters to. */
  readonly tracked: () => Promise<ReadonlySet<string> | null>;
  readonly workTree: string | null;
}

interface Gap {
  readonly rule: string;
  readonly why: string;
}

export type ExpandedMasks =
  | {
      readonly ok: true;
      readonly masks: readonly Mask[];
      readonly gaps: readonly Gap[];
    }
  | { readonly ok: false; readonly reason: string };

interface FileRule {
  readonly rule: Rule;
  readonly category: "Read" | "Write";
  /** The folders, or files, that its pattern begins with; absolute. */
  readonly starts: readonly string[];
  /** The paths that it names in full, with or without all that is below; absolute. */
  readonly named: readonly string[];
  readonly text: string;
}

/** A start that cannot be had, for a person. */
class Refused extends Error {}

export async function expandMasks(request: MaskRequest): Promise<ExpandedMasks> {
  const rules = request.rules.filter(isDeny).flatMap((rule) => fileRule(rule, request));
  if (rules.length === 0) return { ok: true, masks: [], gaps: [] };
  const expansion = new Expansion(request, rules, await request.tracked());
  try {
    return { ok: true, ...(await expansion.run()) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, reason: error.message };
    throw error;
  }
}

function isDeny({ effect, category, pattern, origin }: Rule): boolean {
  return (
    effect === "deny" &&
    (category === "Read" || category === "Write") &&
    pattern !== null &&
    origin.kind !== "builtin"
  );
}

function fileRule(rule: Rule, { project, home }: MaskRequest): readonly FileRule[] {
  const { category, pattern } = rule;
  if ((category !== "Read" && category !== "Write") || pattern === null) return [];
  try {
    const { anchor, glob, isEverywhere } = parsePathPattern(pattern);
    const roots =
      anchor.type === "all"
        ? ["/"]
        : anchor.type === "home"
          ? [home]
          : [rule.origin.root ?? project, project];
    const up = anchor.type === "rule" ? anchor.up : 0;
    const bases = [...new Set(roots)].map((root) => {
      const names = root.split("/").filter((name) => name !== "");
      return names.slice(0, Math.max(0, names.length - up));
    });
    const below = (lists: readonly (readonly string[])[]) =>
      bases.flatMap((base) => lists.map((names) => `/${[...base, ...names].join("/")}`));
    const starts = isEverywhere ? ["/"] : below(literalStarts(glob));
    return [{ rule, category, starts, named: below(namedInFull(glob)), text: rule.text }];
  } catch (error) {
    // One that cannot be read asks whenever it is looked at, and cannot be expanded.
    if (error instanceof PatternError) return [];
    throw error;
  }
}

/** `secrets`, and `secrets/**`: whoever writes that means this very thing. */
function namedInFull(glob: PathGlob): readonly (readonly string[])[] {
  return glob.flatMap((segments, index) => {
    const start = literalStarts(glob)[index] ?? [];
    const rest = segments.slice(start.length);
    return start.length > 0 && rest.every(({ type }) => type === "folders") ? [start] : [];
  });
}

type Found = Mask & { readonly by: FileRule };

class Expansion {
  private readonly found: Found[] = [];
  private readonly keys = new Set<string>();
  /** Folders that hold something of the repository. */
  private readonly trackedFolders: ReadonlySet<string>;
  private readonly gaps: Gap[] = [];
  private readonly files: string[] = [];
  private entries = 0;
  /** Rules that are taken whole, because there was too much below. */
  private readonly whole = new Set<FileRule>();

  constructor(
    private readonly request: MaskRequest,
    private readonly rules: readonly FileRule[],
    private readonly tracked: ReadonlySet<string> | null,
  ) {
    this.trackedFolders = new Set([...(tracked ?? [])].flatMap(foldersAbove));
  }

  async run(): Promise<{ readonly masks: readonly Mask[]; readonly gaps: readonly Gap[] }> {
    // Of a rule about the whole of it, nothing smaller must be said.
    for (const rule of this.rules)
      if (this.reaches(rule, this.request.project)) this.take(rule, this.request.project, "folder", true);
    for (const rule of this.rules) for (const path of rule.named) await this.takeNamed(rule, path);
    // What is named may also be there in other letters: see `path-rule.ts`.
    const walked = this.rules.filter(
      (rule) => rule.named.length < rule.starts.length || !this.found.some(({ by }) => by === rule),
    );
    for (const folder of this.rootsOf(walked)) await this.walk(folder, walked);
    await this.takeOtherNames();
    const masks = this.bounded();
    for (const rule of this.rules)
      if (!this.found.some(({ by }) => by === rule))
        this.gaps.push({
          rule: rule.text,
          why: "nothing that it is about is there: what is made during the run is not held",
        });
    return { masks, gaps: this.gaps };
  }

  /** The session's folders, and those outside of them that patterns begin with. */
  private rootsOf(rules: readonly FileRule[]): readonly string[] {
    const { folders, home } = this.request;
    const outside = rules
      .flatMap(({ starts }) => starts)
      .filter((start) => start !== "/" && !isWithin(start, home) && !isWithin(home, start))
      .filter((start) => !folders.some((folder) => isWithin(start, folder) || isWithin(folder, start)));
    const roots = [...new Set([...folders, ...outside])];
    return roots.filter((root) => !roots.some((other) => isBelow(root, other)));
  }

  private async takeNamed(rule: FileRule, path: string): Promise<void> {
    const found = await real(path);
    if (!found) return;
    if (found.path !== path && rule.category === "Write")
      this.gaps.push({
        rule: rule.text,
        why: `${path} is a link, which can be replaced; what it leads to is read-only`,
      });
    this.take(rule, found.path, found.type, true);
  }

  private take(rule: FileRule, path: string, type: Mask["type"], isNamed: boolean): void {
    const { project } = this.request;
    const isHidden = rule.category === "Read";
    if (isHidden && path !== project && isWithin(project, path)) {
      this.gaps.push({ rule: rule.text, why: `${path} holds the session's folder, and cannot be hidden` });
      return;
    }
    // Emptied inside, it would be committed as empty.
    if (isHidden && !isNamed && this.isTracked(path, type)) {
      this.gaps.push({ rule: rule.text, why: `${path} is in the repository; name it in full to hide it` });
      return;
    }
    this.add({ effect: effectOf(rule), path, type, rule: rule.text, by: rule });
  }

  private add(mask: Found): void {
    const key = keyOf(mask);
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.found.push(mask);
  }

  private isTracked(path: string, type: Mask["type"]): boolean {
    const { tracked } = this;
    const { workTree } = this.request;
    if (tracked === null || workTree === null || !isWithin(path, workTree)) return false;
    const name = relative(workTree, path);
    return type === "file" ? tracked.has(name) : this.trackedFolders.has(name);
  }

  /** Breadth first; links are looked at, and not followed. */
  private async walk(root: string, rules: readonly FileRule[]): Promise<void> {
    const queue = [root];
    for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
      const here = folder;
      const active = rules.filter((rule) => !this.whole.has(rule) && concerns(rule, here));
      if (active.length === 0) continue;
      // A folder that cannot be read by us cannot be read by the agent, who is the same user.
      const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
      for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
        this.entries += 1;
        if (this.entries > ENTRIES_MAX) {
          for (const rule of active) await this.takeWhole(rule, root);
          return;
        }
        const path = here === "/" ? `/${entry.name}` : `${here}/${entry.name}`;
        const matched = active.filter((rule) => this.reaches(rule, path));
        if (matched.length > 0) await this.takeMatched(matched, path, entry.isSymbolicLink());
        if (entry.isFile()) this.files.push(path);
        const isHeld = this.keys.has(keyOf({ effect: "hidden", path }));
        if (entry.isDirectory() && !isHeld && !isPassedOver(entry.name, path, active)) queue.push(path);
      }
    }
  }

  private reaches({ rule, category }: FileRule, path: string): boolean {
    const { project, home } = this.request;
    return (
      pathRuleReaches(rule, {
        category,
        path,
        paths: [path],
        targets: [path],
        exact: true,
        project,
        home,
      }) === "yes"
    );
  }

  private async takeMatched(rules: readonly FileRule[], path: string, isLink: boolean): Promise<void> {
    const found = await real(path);
    for (const rule of rules) {
      if (isLink && rule.category === "Write")
        this.gaps.push({
          rule: rule.text,
          why: `${path} is a link, which can be replaced; what it leads to is read-only`,
        });
      if (found) this.take(rule, found.path, found.type, rule.named.includes(path));
    }
  }

  /** There is more than may be looked at: the folder that the rule begins with, or nothing at all. */
  private async takeWhole(rule: FileRule, root: string): Promise<void> {
    if (this.whole.has(rule)) return;
    this.whole.add(rule);
    const starts = rule.starts.filter((start) => isBelow(start, root));
    if (starts.length < rule.starts.length || starts.length === 0)
      throw new Refused(
        `The rule ${rule.text} would have more than ${ENTRIES_MAX} files and folders looked at in ${root}: name the folders that it is about.`,
      );
    for (const start of starts) {
      const found = await real(start);
      if (found) this.take(rule, found.path, found.type, true);
    }
    this.gaps.push({ rule: rule.text, why: "there is too much below to look at: the whole folder is held" });
  }

  /** A hidden file may have other names: hard links, which are the same file. */
  private async takeOtherNames(): Promise<void> {
    const linked = new Map<string, { readonly mask: Found; left: number }>();
    for (const mask of this.found) {
      if (mask.type !== "file") continue;
      const { dev, ino, nlink } = await stat(mask.path);
      if (nlink > 1) linked.set(`${dev}:${ino}:${mask.effect}`, { mask, left: nlink - 1 });
    }
    if (linked.size === 0) return;
    for (const path of this.files) {
      const found = await lstat(path).catch(() => null);
      if (!found?.isFile() || found.nlink < 2) continue;
      for (const effect of ["hidden", "readOnly"] as const) {
        const link = linked.get(`${found.dev}:${found.ino}:${effect}`);
        if (!link || link.mask.path === path) continue;
        link.left -= 1;
        this.add({ ...link.mask, path });
      }
    }
    for (const { mask, left } of linked.values())
      if (left > 0)
        this.gaps.push({
          rule: mask.rule,
          why: `${mask.path} has ${left} more names (hard links) that were not found`,
        });
  }

  /** Without what lies in folders that are hidden anyway; and by folders, where there are too many. */
  private bounded(): readonly Mask[] {
    const needed = withoutCovered(this.found);
    if (needed.length <= MASKS_MAX) return needed.map(plain);
    const counts = new Map<FileRule, number>();
    for (const { by } of needed) counts.set(by, (counts.get(by) ?? 0) + 1);
    const [most] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
    const folded = withoutCovered(needed.flatMap((mask) => (mask.by === most ? this.folder(mask) : [mask])));
    if (folded.length > MASKS_MAX || most === undefined)
      throw new Refused(
        `The rule ${most?.text ?? ""} is about more than ${MASKS_MAX} files here: name the folders that they are in.`,
      );
    this.gaps.push({
      rule: most.text,
      why: `it is about more than ${MASKS_MAX} files: the folders that they are in are held`,
    });
    return folded.map(plain);
  }

  private folder(mask: Found): readonly Found[] {
    const path = dirname(mask.path);
    const isTooMuch =
      isWithin(this.request.project, path) || (mask.effect === "hidden" && this.isTracked(path, "folder"));
    if (isTooMuch)
      throw new Refused(
        `The rule ${mask.rule} is about more than ${MASKS_MAX} files, some of them right in ${path}: name the folders that they are in.`,
      );
    return [{ ...mask, path, type: "folder" }];
  }
}

function effectOf({ category }: FileRule): Mask["effect"] {
  return category === "Read" ? "hidden" : "readOnly";
}

function plain({ effect, path, type, rule }: Found): Mask {
  return { effect, path, type, rule };
}

function keyOf({ effect, path }: Pick<Mask, "effect" | "path">): string {
  return `${effect} ${path}`;
}

/** `a/b` and `a`, of `a/b/c`. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split("/");
  return names.slice(1).map((_name, index) => names.slice(0, index + 1).join("/"));
}

function withoutCovered(masks: readonly Found[]): readonly Found[] {
  const kept = new Map<string, Found>();
  for (const mask of [...masks].sort(byDepth)) {
    const isCovered = foldersAbove(mask.path).some((folder) =>
      (["hidden", mask.effect] as const).some((effect) => kept.has(keyOf({ effect, path: folder }))),
    );
    if (!isCovered && !kept.has(keyOf({ effect: "hidden", path: mask.path }))) kept.set(keyOf(mask), mask);
  }
  return [...kept.values()];
}

/** Whether a rule may be about something in a folder. */
function concerns({ starts }: FileRule, folder: string): boolean {
  const here = fold(folder);
  return starts.map(fold).some((start) => isWithin(start, here) || isWithin(here, start));
}

function isPassedOver(name: string, path: string, rules: readonly FileRule[]): boolean {
  // A repository's own folder is held as a whole; see `git-facts.ts`.
  if (name === ".git") return true;
  return (
    PACKAGE_FOLDERS.includes(name) &&
    !rules.some(({ starts }) => starts.some((start) => isWithin(fold(start), fold(path))))
  );
}

/** As rules are matched. */
function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Followed to its end; null: not there, a loop of links, or neither file nor folder. */
async function real(path: string): Promise<{ readonly path: string; readonly type: Mask["type"] } | null> {
  try {
    const end = await realpath(path);
    const found = await stat(end);
    if (found.isDirectory()) return { path: end, type: "folder" };
    return found.isFile() ? { path: end, type: "file" } : null;
  } catch {
    return null;
  }
}
