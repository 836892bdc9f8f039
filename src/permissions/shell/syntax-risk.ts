/** Parts of bash's grammar that hide what is run. */
import type { ArithmeticExpression, ArithmeticWord, ParameterExpansionPart, SyntaxNode, Word } from "unbash";
import { holdsSubstitution, variableRisk } from "./variable-risk.js";

/** Why a line with this node is never allowed; null when the node says nothing. Its children are looked at as well. */
export function riskOfNode(node: SyntaxNode, isPosix: boolean): string | null {
  if (isPosix && isOnlyBash(node)) return "it means something else to other shells than bash";
  switch (node.type) {
    case "Script":
      return node.errors?.[0] ? `it cannot be read: ${node.errors[0].message}` : null;
    case "HereDoc":
      return node.closing && node.delimiter ? null : "it cannot be read: a here-document has no end";
    case "ParameterExpansion":
      return riskOfExpansion(node);
    case "ArithmeticWord":
      return riskOfNumber(node);
    case "ArithmeticBinary":
      return riskOfCounting(node.operator, node.left);
    case "ArithmeticUnary":
      return riskOfCounting("=", node.operand);
    case "TestUnary":
      return riskOfOperands([node.operand]);
    case "TestBinary":
      return riskOfOperands([node.left, node.right]);
    case "For":
    case "Select":
      return riskOfName(node.name.value);
    case "Coproc":
      return riskOfName(node.name?.value ?? "");
    case "Redirect":
      return node.descriptor?.type === "FileDescriptorVariable" ? riskOfName(node.descriptor.name) : null;
    case "Names":
    case "Unknown":
      return "it has an expansion that is not known";
    default:
      return null;
  }
}

function riskOfName(name: string): string | null {
  return variableRisk(name) === "risky" ? `${name} may change which program is run` : null;
}

function riskOfExpansion({
  prefix,
  operation,
  parameter,
  index,
  text,
}: ParameterExpansionPart): string | null {
  if (prefix === "!") return `${text} uses a variable that another one names`;
  if (operation?.type === "Transform") return `${text} runs what a variable holds`;
  if (
    operation?.type === "Default" &&
    operation.operator.endsWith("=") &&
    variableRisk(parameter) === "risky"
  )
    return `${text} may change which program is run`;
  if (
    operation?.type === "Default" &&
    holdsSubstitution(operation.operand.value) &&
    isLiteral(operation.operand)
  )
    return `${text} holds a text that the shell may run`;
  return index && isLiteral(index) && holdsSubstitution(index.value)
    ? `${text} runs what is in its index`
    : null;
}

/** A quoted index is run as a line when it is counted with; and what is no number may be read in another way. */
function riskOfNumber({ value, parts }: ArithmeticWord): string | null {
  if (parts?.some(({ type }) => type === "SingleQuoted" || type === "AnsiCQuoted"))
    return "it counts with a text";
  return value === "" || /\s/.test(value.trim()) ? "it counts with what is no number" : null;
}

/** `$((PATH=2))` assigns as well. */
function riskOfCounting(operator: string, target: ArithmeticExpression): string | null {
  const isAssignment = operator.endsWith("=") && !/^[=!<>]=$/.test(operator);
  if (!isAssignment || target.type !== "ArithmeticWord" || variableRisk(target.value) !== "risky")
    return null;
  return `${target.value} may change which program is run`;
}

/** In `[[ … ]]` an index of a name is run as a line. */
function riskOfOperands(words: readonly Word[]): string | null {
  const found = words.find(
    (word) => isLiteral(word) && word.value.includes("[") && holdsSubstitution(word.value),
  );
  return found ? `it counts with ${found.text}` : null;
}

function isLiteral({ parts }: Word): boolean {
  return (
    !parts ||
    parts.every(({ type }) => type === "Literal" || type === "SingleQuoted" || type === "AnsiCQuoted")
  );
}

/** To a plain `sh`, `((a > b))` runs `a` and writes to `b`. */
function isOnlyBash(node: SyntaxNode): boolean {
  switch (node.type) {
    case "AnsiCQuoted":
    case "ArithmeticCommand":
    case "ArithmeticFor":
    case "ArrayValue":
    case "BraceExpansion":
    case "Coproc":
    case "ExtendedGlob":
    case "HereString":
    case "LocaleString":
    case "ProcessSubstitution":
    case "Select":
    case "TestCommand":
      return true;
    case "Redirect":
      return node.operator === "&>" || node.operator === "&>>";
    case "Pipeline":
      return node.operators.includes("|&");
    case "CommandExpansion":
      return node.text.startsWith("${");
    default:
      return false;
  }
}
