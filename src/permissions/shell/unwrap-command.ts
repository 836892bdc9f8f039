/** What a command runs in turn, by the name of its program. */
import { isFileProgram, takesTexts } from "./file-operands.js";
import { unwrapHandedLine } from "./handed-lines.js";
import { unwrapCommandReader } from "./input-commands.js";
import { unwrapInterpreter } from "./interpreters.js";
import { runningOption } from "./program-options.js";
import { skipOptions } from "./option-words.js";
import { programName } from "./program-name.js";
import { unwrapBuiltin } from "./shell-builtins.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { unwrapTextProgram } from "./text-programs.js";
import { runsContainers } from "./unwrap-container.js";
import { unwrapEnv } from "./unwrap-env.js";
import { unwrapFd, unwrapFind } from "./unwrap-find.js";
import { unwrapGit } from "./unwrap-git.js";
import { unwrapPackageRunner } from "./unwrap-package-runner.js";
import { unwrapHandedShell, unwrapLineRunner, unwrapShell } from "./unwrap-shell.js";
import { glimpse, hides, runs, together, type Unwrapped } from "./unwrapped.js";
import type { Folders } from "./working-folders.js";
import { unwrapPrefix } from "./wrappers.js";

/** Folders that hold the system's own programs. */
const SYSTEM_FOLDERS = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
]);

/** Null when it runs nothing else. */
export function unwrapCommand(words: readonly ShellWord[], folders: Folders): Unwrapped | null {
  const path = words[0]?.value ?? "";
  const name = programName(path);
  const unwrapped =
    unwrapPrefix(name, words) ??
    unwrapShell(name, words) ??
    unwrapLineRunner(name, words) ??
    unwrapHandedLine(name, words) ??
    unwrapBuiltin(name, words) ??
    unwrapTextProgram(name, words) ??
    withRunner(runningOption(name, words, folders), name, words) ??
    unwrapCommandReader(name, words) ??
    unwrapInterpreter(name, words) ??
    unwrapOther(name, words);
  const handed = isFileProgram(name) || takesTexts(name) ? null : unwrapHandedShell(words);
  const whole = together(unwrapped, handed && runsContainers(name) ? contained(handed) : handed);
  // A program elsewhere may have that name and do something else.
  return whole && !isOfSystem(path) ? { ...whole, isTransparent: false } : whole;
}

/** An option that runs another program does not keep it from running its command. */
function withRunner(option: Unwrapped | null, name: string, words: readonly ShellWord[]): Unwrapped | null {
  const inner = name === "fd" ? unwrapFd(words) : unwrapPackageRunner(name, words);
  return option && together(option, inner);
}

function contained({ inner, ...rest }: Unwrapped): Unwrapped {
  return {
    ...rest,
    inner: inner.map((each) => (each.type === "words" ? { ...each, isContained: true } : each)),
  };
}

function isOfSystem(path: string): boolean {
  const slash = path.lastIndexOf("/");
  return slash === -1 || SYSTEM_FOLDERS.has(path.slice(0, slash));
}

function unwrapOther(name: string, words: readonly ShellWord[]): Unwrapped | null {
  switch (name) {
    case "env":
      return unwrapEnv(words);
    case "find":
      return unwrapFind(words);
    case "go":
      return unwrapGo(words);
    case "git":
      return unwrapGit(words);
    case "ssh":
      return unwrapSsh(words);
    default:
      return unwrapDashedGit(name, words);
  }
}

/** `git-push` is `git push`, to every rule that denies or asks. */
function unwrapDashedGit(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const command = /^git-(.+)$/.exec(name)?.[1];
  if (command === undefined) return null;
  const asGit = [literalWord("git"), literalWord(command), ...words.slice(1)];
  return runs([{ type: "words", words: asGit, isSeen: true }]);
}

/** `go run a.go` runs it, as an interpreter would. */
function unwrapGo(words: readonly ShellWord[]): Unwrapped | null {
  if (words[1]?.value !== "run") return null;
  const script = words.slice(2).findIndex((word) => !word.value.startsWith("-"));
  // The package in this folder.
  if (script === -1 || words[2 + script]?.value === ".") return null;
  return runs([{ type: "words", words: words.slice(2 + script), isSeen: true, isScript: true }]);
}

/** What runs on another machine is out of reach of every rule here. */
function unwrapSsh(words: readonly ShellWord[]): Unwrapped {
  const { index } = skipOptions(words, 1, { letters: "BbcDEeFIiJLlmOopQRSWw" });
  const line = words.slice(index + 1).map((word) => word.value);
  const inner = line.length === 0 ? [] : [{ type: "script", text: line.join(" ") } as const];
  return hides("ssh runs it on another machine", [...inner, glimpse(words.slice(1))]);
}
