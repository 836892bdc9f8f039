/** Who imports whom. */
import ts from "typescript";
import { importsOf, resolveImport, type SourceFile } from "./repository.js";
import { WALLS } from "./walls.js";

/** Imports that cross a wall of `src`. Tests beside the source may import from `test` as well. */
export function wallBreaches(file: SourceFile): readonly string[] {
  const [, folder = ""] = file.path.split("/");
  const isTest = file.path.endsWith(".test.ts");
  return importsOf(file)
    .filter((imported) => imported.startsWith("."))
    .filter((imported) => {
      const [top, target = ""] = resolveImport(file.path, imported).split("/");
      if (top !== "src") return !(isTest && top === "test");
      return target !== folder && !WALLS[folder]?.includes(target);
    })
    .map((imported) => `${file.path} imports ${imported}`);
}

/** Whether a file loads something by an address that it computes: no wall can be held against that. */
export function hasComputedImport({ text }: SourceFile): boolean {
  return /\bimport\(\s*(?:[^\s"'`)\\]|`[^`]*\$\{)/.test(text);
}

/** What in a file of core could reach outside of it, other than by a relative import. */
export function coreLeaks(file: SourceFile): readonly string[] {
  const { importedFiles, ambientExternalModules, ...read } = ts.preProcessFile(file.text, true, true);
  const bare = importedFiles.map((imported) => imported.fileName).filter((name) => !name.startsWith("."));
  const directives = [
    ...read.referencedFiles,
    ...read.typeReferenceDirectives,
    ...read.libReferenceDirectives,
  ];
  return [
    ...bare.map((name) => `${file.path} imports ${name}`),
    ...directives.map(({ fileName }) => `${file.path} has a /// reference to ${fileName}`),
    ...(ambientExternalModules ?? []).map((name) => `${file.path} declares the module ${name}`),
    ...(/^\s*(export\s+)?declare\s/m.test(file.text)
      ? [`${file.path} declares what it does not define`]
      : []),
  ];
}

/** The files that none of the roots imports, directly or through others. */
export function unreachable(files: readonly SourceFile[], roots: readonly string[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  /** A file with JSX is imported by the same name. */
  const named = (path: string) => (byPath.has(path) || !byPath.has(`${path}x`) ? path : `${path}x`);
  const reached = new Set(roots);
  for (const path of reached) {
    const file = byPath.get(path);
    if (!file) continue;
    for (const imported of [...importsOf(file), ...programsOf(file)]) {
      if (imported.startsWith(".")) reached.add(named(resolveImport(path, imported)));
    }
  }
  return files.map((file) => file.path).filter((path) => !reached.has(path));
}

/** The files that a file starts as programs of their own, also as they are built: it needs them, and does not import them. */
function programsOf({ text }: SourceFile): readonly string[] {
  const matches = text.matchAll(/new URL\(\s*"(\.[^"]+\.js)",\s*import\.meta\.url\s*,?\s*\)/g);
  return [...matches].map((match) => (match[1] ?? "").replace("/dist/", "/"));
}
