/** How long functions are. */
import ts from "typescript";
import { nodesOf, parseSource, type SourceFile } from "./repository.js";

export const FUNCTION_LINES_MAX = 69;

/** `path:line name, N lines` for every function that is too long. */
export function longFunctions(file: SourceFile): readonly string[] {
  const source = parseSource(file);
  const found: string[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isFunctionLike(node) || isGroupOfTests(node)) continue;
    const first = source.getLineAndCharacterOfPosition(node.getStart()).line;
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    const lines = last - first + 1;
    if (lines > FUNCTION_LINES_MAX) found.push(`${file.path}:${first + 1} ${nameOf(node)}, ${lines} lines`);
  }
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : "a function without a name";
}

/** What `describe` takes is a heading over functions, not a function that does something. */
function isGroupOfTests(node: ts.Node): boolean {
  if (!ts.isCallExpression(node.parent)) return false;
  let callee: ts.Expression = node.parent.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) && callee.text === "describe";
}
