/** The files of this repository, as the tidy tests see them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";
import { ROOT } from "./root.js";

/** What git ignores, and git itself. */
const SKIPPED = new Set([".git", "node_modules", "dist", "coverage", ".bench", ".artifacts"]);

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every file that is, or is about to be, tracked. */
export function trackedFiles(): readonly string[] {
  return filesUnder(ROOT).toSorted();
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [relative(ROOT, path).split(sep).join("/")] : [];
  });
}

export function read(path: string): SourceFile {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** The program text in these folders. */
export function sourceFiles(...folders: readonly string[]): readonly SourceFile[] {
  return trackedFiles()
    .filter((path) => /\.(ts|tsx|mts|js|mjs)$/.test(path))
    .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .map(read);
}

export function readJson(path: string): unknown {
  return JSON.parse(read(path).text) as unknown;
}

export interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function manifest(): Manifest {
  return readJson("package.json") as Manifest;
}

/** `./dist/src/core/index.js` is built from `src/core/index.ts`, and `dist/programs/cli/main.js` from `src/cli/main.ts`. */
export function builtFrom(path: string): string {
  return path
    .replace(/^\.?\/?dist\//, "")
    .replace(/^programs\//, "src/")
    .replace(/\.js$/, ".ts");
}

/** What others may import from the package, and run. */
export function entryPoints(): readonly string[] {
  const { bin, exports } = manifest();
  return [...Object.values(bin), ...Object.values(exports).map((entry) => entry.default)].map(builtFrom);
}

/** What the page starts with. */
export function pageEntry(): string {
  const page = "src/web/index.html";
  const script = /<script type="module" src="\.\/([\w.-]+)"/.exec(read(page).text)?.[1];
  if (script === undefined) throw new Error(`${page} has no script`);
  return `src/web/${script}`;
}

export function parseSource({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Every node of a tree, parents first. */
export function nodesOf(root: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return nodes;
}

/** What a file imports, statically or with `import()`, as it is written there. */
export function importsOf({ text }: SourceFile): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map((imported) => imported.fileName);
}

/** The file that a relative import means. */
export function resolveImport(from: string, imported: string): string {
  const base = new URL(imported, `file:///${from}`).pathname.slice(1);
  return base.replace(/\.js$/, ".ts");
}
