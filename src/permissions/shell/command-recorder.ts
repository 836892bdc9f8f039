/** Keeps one command with what its program tells of it, and follows what that runs in turn. */
import type { Redirection } from "unbash";
import type { AnalysisDraft } from "./analysis-draft.js";
import { operandFiles } from "./file-operands.js";
import type { Scope } from "./line-reader.js";
import { namedHosts } from "./named-hosts.js";
import { HARMLESS_DEVICE } from "./redirections.js";
import { programName } from "./program-name.js";
import { readWord, type ShellWord } from "./shell-word.js";
import { isLookAlike } from "./strange-characters.js";
import { unwrapCommand } from "./unwrap-command.js";
import type { Inner, Unwrapped } from "./unwrapped.js";
import { changedFolders, pathIn } from "./working-folders.js";

/** Which command runs this one. */
export interface Place {
  readonly outer: number | null;
  readonly wrappers: readonly string[];
  /** It is only looked at for denies and asks. */
  readonly isSeen: boolean;
}

interface Around {
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirection[];
}

const NOTHING_AROUND: Around = { assignments: [], redirects: [] };

const CHANGES_FOLDER = new Set(["cd", "pushd", "chdir"]);
/** Words of the shell that run another word of the shell in the shell itself. */
const KEEPS_SHELL = new Set(["command", "builtin"]);

/** As a person would write it. */
function written({ value, unknown }: ShellWord): string {
  return unknown || /^[\w@%+=:,./^~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

export class CommandRecorder {
  constructor(
    private readonly draft: AnalysisDraft,
    private readonly readLine: (text: string, scope: Scope) => void,
  ) {}

  /** The index of the command; null when there were too many. */
  record(words: readonly ShellWord[], scope: Scope, around: Around = NOTHING_AROUND): number | null {
    const [name] = words;
    if (!name) return null;
    this.checkWords(words);
    const unwrapped = name.unknown ? null : unwrapCommand(words);
    const index = this.draft.addCommand({
      words: words.map((word) => word.value),
      unknown: words.flatMap((word, at) => (word.unknown ? [at] : [])),
      assignments: around.assignments,
      text: [...around.assignments, ...words.map(written)].join(" "),
      dynamic: words.some((word) => word.unknown),
      wrappers: scope.wrappers,
      outer: scope.outer,
      needsAllow: !scope.isSeen && unwrapped?.isTransparent !== true,
    });
    if (index === null) return null;
    const program = programName(name.value);
    this.addUses(program, words, scope, index);
    if (unwrapped) this.follow(unwrapped, program, scope, index);
    if (unwrapped?.opaque != null) this.lookAtInput(around.redirects, { ...scope, depth: scope.depth + 1 });
    this.changeFolder(words, scope);
    return index;
  }

  private checkWords(words: readonly ShellWord[]): void {
    const [name] = words;
    if (name?.unknown) this.draft.hide(`the name of a command is computed: ${name.value}`);
    else if (name?.disguised) this.draft.hide(`the name of a command is disguised: ${name.value}`);
    else if (name?.value === "" || /\s/.test(name?.value ?? ""))
      this.draft.hide("a command has no proper name");
    const strange = words.find((word, index) => isLookAlike(word.value, index === 0));
    if (strange) this.draft.hide(`${strange.value} has letters that look like others`);
  }

  private addUses(program: string, words: readonly ShellWord[], { folders }: Scope, command: number): void {
    for (const { category, word, certain, isOutput } of operandFiles(program, words)) {
      if (isOutput && !word.exact) this.draft.hide(`the file that ${program} writes is computed`);
      const demand = isOutput && !HARMLESS_DEVICE.test(word.path) ? "allow" : "watch";
      for (const folder of word.path.startsWith("/") || word.path.startsWith("~") ? [""] : folders) {
        const path = pathIn(folder, word.path);
        this.draft.addFile({ category, path, exact: word.exact, demand, certain, command });
      }
    }
    for (const host of namedHosts(program, words)) this.draft.addHost({ ...host, command });
  }

  private follow({ inner, opaque }: Unwrapped, program: string, scope: Scope, outer: number): void {
    if (opaque !== null) this.draft.hide(opaque);
    const wrappers = [...scope.wrappers, program];
    const inside: Scope = { ...scope, outer, wrappers, depth: scope.depth + 1 };
    for (const each of inner) this.followOne(each, inside);
    // Only words of the shell itself can change its folder for the rest of the line.
    if (KEEPS_SHELL.has(program) || program === "eval") scope.folders = inside.folders;
  }

  private followOne(inner: Inner, scope: Scope): void {
    switch (inner.type) {
      case "words":
        if (scope.depth > 12) this.draft.hide("it is nested too deeply");
        else this.recordInside(inner.words, inner.isSeen === true, scope);
        return;
      case "script":
        this.readLine(inner.text, inner.isPosix ? { ...scope, isPosix: true } : scope);
        return;
      case "glimpse":
        this.draft.addGlimpse(inner.text);
        return;
    }
  }

  private recordInside(words: readonly ShellWord[], isSeen: boolean, scope: Scope): void {
    const inside = { ...scope, isSeen: scope.isSeen || isSeen };
    this.record(words, inside);
    scope.folders = inside.folders;
  }

  /** `bash <<< 'rm x'`: never allowed, and yet the line can be read. */
  private lookAtInput(redirects: readonly Redirection[], scope: Scope): void {
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") this.readLine(redirect.body.text, { ...scope });
      else if (redirect.type === "HereString" && redirect.target)
        this.readLine(
          readWord(redirect.target)
            .map((word) => word.value)
            .join(" "),
          { ...scope },
        );
    }
  }

  private changeFolder(words: readonly ShellWord[], scope: Scope): void {
    const isOfShell = scope.wrappers.every((wrapper) => KEEPS_SHELL.has(wrapper) || wrapper === "eval");
    if (!CHANGES_FOLDER.has(words[0]?.value ?? "") || !isOfShell) return;
    const folders = changedFolders(scope.folders, words);
    if (folders) scope.folders = folders;
    else this.draft.hide("it cannot be seen in which folder the rest runs");
  }
}
