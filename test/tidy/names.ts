/** Names that say nothing, and words that the glossary has another word for. */
import ts from "typescript";
import { nodesOf, parseSource, type SourceFile } from "./repository.js";

const EMPTY_NAMES = /^(utils?|helpers?|common|misc|shared|stuff)$/;
const AVOIDED = new Map([
  ["task", "session, turn or request"],
  ["job", "run or effect"],
  ["worker", "driver"],
  ["manager", "what it really does"],
]);

/** What is wrong with the name of a file of program text, or null. */
export function fileNameFlaw(path: string, entryPoints: readonly string[]): string | null {
  const parts = path.split("/");
  const stem = (parts.pop() ?? "").replace(/((\.[a-z]+)?\.test)?\.\w+$/, "");
  if ([...parts, stem].some((part) => EMPTY_NAMES.test(part))) return `${path}: a name that says nothing`;
  if (stem === "index" && !entryPoints.includes(path))
    return `${path}: a barrel that is no public entry point`;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) return `${path}: not kebab-case`;
  const avoided = [...parts, stem].flatMap((part) => part.split("-")).find((word) => avoidedWord(word));
  return avoided === undefined ? null : `${path}: ${avoided}; say ${AVOIDED.get(singular(avoided)) ?? ""}`;
}

/** The names declared in a file that use an avoided word. Names in snake_case are the wire's, not ours. */
export function avoidedNames(file: SourceFile): readonly string[] {
  const source = parseSource(file);
  const found: string[] = [];
  for (const node of nodesOf(source)) {
    const name = declaredName(node);
    if (name === null || /^[a-z]+(_[a-z]+)+$/.test(name)) continue;
    const word = wordsOf(name).find(avoidedWord);
    if (word === undefined) continue;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push(`${file.path}:${line} ${name}: say ${AVOIDED.get(singular(word)) ?? ""}`);
  }
  return found;
}

function declaredName(node: ts.Node): string | null {
  const declares =
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node);
  return declares && node.name && ts.isIdentifier(node.name) ? node.name.text : null;
}

function wordsOf(name: string): readonly string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return spaced.toLowerCase().split(/[^a-z]+/);
}

function avoidedWord(word: string): boolean {
  return AVOIDED.has(singular(word));
}

function singular(word: string): string {
  return word.replace(/s$/, "");
}
