/** Keeps one command with what its program tells of it, and follows what that runs in turn. */
import type { Redirection } from "unbash";
import type { AnalysisDraft } from "./analysis-draft.js";
import { carriedPaths } from "./carried-links.js";
import { isFileProgram, operandFiles } from "./file-operands.js";
import { inputTexts, type InputText } from "./input-text.js";
import { DEPTH_MAX } from "./line-bounds.js";
import type { Scope } from "./line-reader.js";
import { namedHosts } from "./named-hosts.js";
import { HARMLESS_DEVICE } from "./redirections.js";
import { programName } from "./program-name.js";
import { valuePlaces, withoutTestNames } from "./option-values.js";
import { takesAssignments } from "./shell-builtins.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { isLookAlike } from "./strange-characters.js";
import { unwrapInput } from "./unwrap-input.js";
import { unwrapCommand } from "./unwrap-command.js";
import { isShell } from "./unwrap-shell.js";
import type { Inner, Unwrapped } from "./unwrapped.js";
import { changedFolders, leadsAway, pathIn } from "./working-folders.js";

/** Which command runs this one. */
export interface Place {
  readonly outer: number | null;
  readonly wrappers: readonly string[];
  /** It is only looked at for denies and asks. */
  readonly isSeen: boolean;
  /** It runs in a container: its words are no files of this machine. */
  readonly isContained: boolean;
  /** How many of the wrappers stand around the shell that reads it. */
  readonly shellAt: number;
  /** The folder in which the line begins. */
  readonly start: string;
}

type InnerWords = Extract<Inner, { readonly type: "words" }>;
type InnerScript = Extract<Inner, { readonly type: "script" }>;

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

/** Programs that take names of programs, and messages that may speak of anything, and run neither. */
const ONLY_SPEAKS = new Set(
  "git gh glab hg svn man info tldr whatis apropos whereis locate pgrep pkill killall sed awk mawk nawk dd uniq xxd apply_patch".split(
    " ",
  ),
);
/** Words of package managers behind which names of programs stand. */
const NAMES_PACKAGES = /^(?:install|add|i|remove|uninstall|info|show|search|view|list|update|upgrade|help)$/;

/** `--x=evil`, `-xevil`, `!evil`, `evil|` */
function heldWord(word: string): readonly string[] {
  const [, value, attached, bare, piped] =
    /^(?:--?[\w-]+=(.+)|-[A-Za-z](\w+)|!(.+)|([^|]+)\|)$/s.exec(word) ?? [];
  const held = value ?? attached ?? bare ?? piped;
  return held === undefined ? [] : [held];
}

/** The program and the script of an interpreter, where their names mean other files than in the folder of the line. */
function wordsElsewhere(
  words: readonly ShellWord[],
  unwrapped: Unwrapped | null,
  { folders, start, isContained }: Scope,
): readonly number[] {
  if (isContained) return [];
  const scripts = (unwrapped?.inner ?? []).flatMap((inner) =>
    inner.type === "words" && inner.isScript ? [words.length - inner.words.length] : [],
  );
  const files = words[0]?.value.includes("/") ? [0, ...scripts] : scripts;
  return files.filter((at) => leadsAway(words[at]?.value ?? "", folders, start));
}

function isScript({ type }: Inner): boolean {
  return type === "script";
}

export class CommandRecorder {
  constructor(
    private readonly draft: AnalysisDraft,
    private readonly readLine: (text: string, scope: Scope, isAll: boolean) => void,
  ) {}

  /** The index of the command; null when there were too many. */
  record(words: readonly ShellWord[], scope: Scope, around: Around = NOTHING_AROUND): number | null {
    const [name] = words;
    if (!name) return null;
    this.checkWords(words);
    const input = unwrapInput(words, around.redirects);
    const unwrapped = name.unknown ? null : (input?.unwrapped ?? unwrapCommand(words, scope.folders));
    const program = programName(name.value);
    const values = valuePlaces(program, words).filter((at) => words[at]?.unknown);
    const index = this.draft.addCommand({
      words: words.map((word) => word.value),
      unknown: words.flatMap((word, at) => (word.unknown ? [at] : [])),
      assignments: around.assignments,
      text: [...around.assignments, ...words.map(written)].join(" "),
      dynamic: words.some((word) => word.unknown),
      wrappers: scope.wrappers,
      outer: scope.outer,
      needsAllow: !scope.isSeen && unwrapped?.isTransparent !== true,
      elsewhere: wordsElsewhere(words, unwrapped, scope),
      ...(values.length > 0 ? { values } : {}),
    });
    if (index === null) return null;
    const texts = inputTexts(around.redirects);
    this.draft.counting.noteCommand(words);
    if (program === "trap") this.draft.hasTrap = true;
    // Its code is as much a word of it as if it stood on the line.
    this.addUses(program, [...words, ...(input?.code ?? []).map(literalWord)], scope, index, texts);
    if (unwrapped?.inner.some(isScript) && words.some((word) => word.isFromVariable))
      this.draft.hide(`the line that ${program} runs is in a variable`);
    if (unwrapped) this.follow(unwrapped, program, scope, index, around.redirects);
    if (!name.unknown) this.addHints(program, words, texts);
    if (unwrapped?.opaque != null) this.lookAtInput(texts, { ...scope, depth: scope.depth + 1 });
    this.changeFolder(words, scope);
    return index;
  }

  private checkWords(words: readonly ShellWord[]): void {
    const [name] = words;
    if (name?.unknown) this.draft.hide(`the name of a command is computed: ${name.value}`);
    else if (name?.isFromVariable) this.draft.hide(`the name of a command is in a variable: ${name.value}`);
    else if (name?.disguised) this.draft.hide(`the name of a command is disguised: ${name.value}`);
    else if (name?.value === "" || /\s/.test(name?.value ?? ""))
      this.draft.hide("a command has no proper name");
    if (takesAssignments(words)) this.draft.hide("words behind a command are assignments");
    const strange = words.find((word, index) => isLookAlike(word.value, index === 0));
    if (strange) this.draft.hide(`${strange.value} has letters that look like others`);
  }

  private addUses(
    program: string,
    words: readonly ShellWord[],
    { folders, isContained }: Scope,
    command: number,
    texts: readonly InputText[],
  ): void {
    const used = isContained ? [] : operandFiles(program, words, texts);
    const carried = carriedPaths(program, words);
    for (const { category, word, certain, isOutput, isDeep } of used) {
      if (isOutput && !word.exact) this.draft.hide(`the file that ${program} writes is computed`);
      // No rule is about those.
      if (word.exact && HARMLESS_DEVICE.test(word.path)) continue;
      const demand = isOutput ? "allow" : "watch";
      for (const folder of /^(?:~|\/(?!\/*proc\b))/.test(word.path) ? [""] : folders) {
        const path = pathIn(folder, word.path);
        const file = { category, path, exact: word.exact, demand, certain, command } as const;
        const isCarried = carried.has(word.path);
        this.draft.addFile({ ...file, ...(isDeep ? { isDeep } : {}), ...(isCarried ? { isCarried } : {}) });
      }
    }
    for (const host of namedHosts(program, words)) this.draft.addHost({ ...host, command });
  }

  /** What a program that is not known does with its words, nobody knows. */
  private addHints(program: string, words: readonly ShellWord[], given: readonly InputText[]): void {
    if (isFileProgram(program) || ONLY_SPEAKS.has(program)) return;
    const rest = withoutTestNames(program, words)
      .slice(1)
      .map((word) => word.value);
    if (!NAMES_PACKAGES.test(rest[0] ?? "")) {
      this.draft.addHint(rest, false);
      this.draft.addHint(rest.flatMap(heldWord), false);
    }
    const texts = rest.filter((value) => /\s/.test(value));
    this.draft.addHint([...texts, ...given.map(({ text }) => text)], true);
  }

  private follow(
    { inner, opaque }: Unwrapped,
    program: string,
    scope: Scope,
    outer: number,
    redirects: readonly Redirection[],
  ): void {
    // What runs in a container was allowed with it, but for lines that nobody can read.
    if (opaque !== null && (!scope.isContained || isShell(program))) this.draft.hide(opaque);
    const wrappers = [...scope.wrappers, program];
    const inside: Scope = { ...scope, outer, wrappers, depth: scope.depth + 1 };
    for (const each of inner) this.followOne(each, inside, redirects);
    // Only words of the shell itself can change its folder for the rest of the line.
    if (KEEPS_SHELL.has(program) || program === "eval") scope.folders = inside.folders;
  }

  private followOne(inner: Inner, scope: Scope, redirects: readonly Redirection[]): void {
    switch (inner.type) {
      case "words":
        if (scope.depth > DEPTH_MAX) this.draft.hide("it is nested too deeply");
        else this.recordInside(inner, scope, redirects);
        return;
      case "script":
        this.readScript(inner, scope);
        return;
      case "glimpse":
        this.draft.addGlimpse(inner.text);
        return;
    }
  }

  /** What it does to the folder counts only where the shell goes on: see `follow`. */
  private readScript({ text, isPosix, isAll }: InnerScript, scope: Scope): void {
    const inside: Scope = {
      ...scope,
      isPosix: scope.isPosix || isPosix === true,
      shellAt: scope.wrappers.length,
    };
    this.readLine(text, inside, isAll === true);
    scope.folders = inside.folders;
  }

  private recordInside(
    { words, isSeen = false, isScript = false, isContained = false, folders }: InnerWords,
    scope: Scope,
    redirects: readonly Redirection[],
  ): void {
    const inside = {
      ...scope,
      isSeen: scope.isSeen || isSeen,
      isContained: scope.isContained || isContained,
      folders: folders
        ? scope.folders.flatMap((from) => folders.map((folder) => pathIn(from, folder)))
        : scope.folders,
    };
    this.record(words, inside, { assignments: [], redirects });
    if (isScript) this.recordInFolders(words, inside);
    if (!folders) scope.folders = inside.folders;
  }

  /** A script is also looked at by its whole name: `cd dist && node main.js` runs `dist/main.js`. */
  private recordInFolders([script, ...rest]: readonly ShellWord[], scope: Scope): void {
    if (!script || script.unknown || /^[/~-]/.test(script.value)) return;
    for (const folder of scope.folders) {
      const words = [`${folder}/${script.value}`.replaceAll("/./", "/"), ...rest.map((word) => word.value)];
      const unknown = rest.flatMap((word, at) => (word.unknown ? [at + 1] : []));
      this.draft.addCommand({
        words,
        unknown,
        assignments: [],
        text: words.join(" "),
        dynamic: unknown.length > 0,
        wrappers: scope.wrappers,
        outer: scope.outer,
        needsAllow: false,
        elsewhere: [],
      });
    }
  }

  /** `bash <<< 'rm x'`: never allowed, and yet the line can be read. */
  private lookAtInput(texts: readonly InputText[], scope: Scope): void {
    for (const { text } of texts) this.readLine(text, { ...scope, shellAt: scope.wrappers.length }, false);
  }

  private changeFolder(words: readonly ShellWord[], scope: Scope): void {
    const isOfShell = scope.wrappers.slice(scope.shellAt).every((wrapper) => KEEPS_SHELL.has(wrapper));
    if (!CHANGES_FOLDER.has(words[0]?.value ?? "") || !isOfShell) return;
    this.draft.isMoving = true;
    const folders = changedFolders(scope.folders, words);
    if (folders) scope.folders = folders;
    else this.draft.hide("it cannot be seen in which folder the rest runs");
  }
}
