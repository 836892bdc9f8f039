/** Keeps one command with what it names, and follows what it runs in turn. */
import type { Redirection } from "unbash";
import type { AnalysisDraft } from "./analysis-draft.js";
import { inputTexts, type InputText } from "./input-text.js";
import { DEPTH_MAX } from "./line-bounds.js";
import type { Scope } from "./line-reader.js";
import { namedHosts, namedPaths, onlyReads, onlySpeaks } from "./named-words.js";
import { programName } from "./program-name.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { isLookAlike } from "./strange-characters.js";
import { unwrapCommand } from "./unwrap-command.js";
import { messagesOf } from "./unwrap-git.js";
import { isShell } from "./unwrap-shell.js";
import type { Inner, Unwrapped } from "./unwrapped.js";
import { changedFolders, leadsAway } from "./working-folders.js";

/** Which command runs this one. */
export interface Place {
  readonly outer: number | null;
  readonly wrappers: readonly string[];
  /** It is only looked at for denies and asks. */
  readonly isSeen: boolean;
  /** How many of the wrappers stand around the shell that reads it. */
  readonly shellAt: number;
  /** The folder in which the line begins. */
  readonly start: string;
}

interface Around {
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirection[];
}

const CHANGES_FOLDER = new Set(["cd", "pushd", "chdir"]);
/** Words of the shell that run another word of the shell in the shell itself. */
const KEEPS_SHELL = new Set(["command", "builtin"]);
/** Words of package managers behind which names of programs stand. */
const NAMES_PACKAGES = /^(?:install|add|i|remove|uninstall|info|show|search|view|list|update|upgrade|help)$/;

/** As a person would write it. */
function written({ value, unknown }: ShellWord): string {
  return unknown || /^[\w@%+=:,./^~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** `--x=evil`, `-xevil`, `!evil`, `evil|` */
function heldWord(word: string): readonly string[] {
  const found = /^(?:--?[\w-]+=(.+)|-[A-Za-z](\w+)|!(.+)|([^|]+)\|)$/s.exec(word)?.slice(1) ?? [];
  // A group that is not there has no text.
  return found.filter(Boolean);
}

export class CommandRecorder {
  constructor(
    private readonly draft: AnalysisDraft,
    private readonly readLine: (text: string, scope: Scope) => void,
  ) {}

  /** The index of the command; null when there were too many. */
  record(words: readonly ShellWord[], scope: Scope, { assignments, redirects }: Around): number | null {
    const [name] = words;
    if (!name) return null;
    this.checkWords(words);
    const unwrapped = name.unknown ? null : unwrapCommand(words);
    const program = programName(name.value);
    const values = program === "git" ? messagesOf(words) : [];
    const index = this.draft.addCommand({
      words: words.map((word) => word.value),
      unknown: words.flatMap((word, at) => (word.unknown ? [at] : [])),
      assignments,
      text: [...assignments, ...words.map(written)].join(" "),
      dynamic: words.some((word) => word.unknown),
      wrappers: scope.wrappers,
      outer: scope.outer,
      needsAllow: !scope.isSeen && unwrapped?.isTransparent !== true,
      elsewhere: wordsElsewhere(words, unwrapped, scope),
      ...(values.length > 0 ? { values } : {}),
    });
    if (index === null) return null;
    const texts = inputTexts(redirects);
    this.draft.counting.noteCommand(program, words.slice(1));
    if (program === "trap") this.draft.hasTrap = true;
    this.addNames(words, scope, index, texts);
    if (unwrapped) this.follow(unwrapped, program, scope, index, redirects);
    if (unwrapped?.isTransparent !== true && !name.unknown) this.addHints(words, texts);
    // `bash <<< 'rm x'`: never allowed, and yet the line can be read.
    if (unwrapped?.opaque != null && isShell(program))
      for (const { text } of texts)
        this.readLine(text, { ...scope, depth: scope.depth + 1, shellAt: scope.wrappers.length });
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

  private addNames(
    words: readonly ShellWord[],
    { folders }: Scope,
    command: number,
    texts: readonly InputText[],
  ): void {
    const isOnlyRead = onlyReads(words);
    const isSpeaking = onlySpeaks(words);
    const input = isOnlyRead ? [] : texts.map(({ text }) => literalWord(` ${text}`));
    for (const word of [...words, ...input]) {
      if (word === words[0] && !word.value.includes("/")) continue;
      for (const named of namedPaths(word))
        if (!named.isOfText || !isSpeaking || input.includes(word))
          this.draft.addNamed(named, folders, command, isOnlyRead);
    }
    this.draft.addHosts(namedHosts([...words, ...input]), command);
  }

  /** What a program does with its words, nobody knows: what a person denied may be run by it. */
  private addHints(words: readonly ShellWord[], given: readonly InputText[]): void {
    if (onlySpeaks(words) || onlyReads(words)) return;
    const rest = words.slice(1).map((word) => word.value);
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
    if (opaque !== null) this.draft.hide(opaque);
    const wrappers = [...scope.wrappers, program];
    const inside: Scope = { ...scope, outer, wrappers, depth: scope.depth + 1 };
    for (const each of inner) this.followOne(each, inside, redirects);
    // Only words of the shell itself can change its folder for the rest of the line.
    if (KEEPS_SHELL.has(program) || program === "eval") scope.folders = inside.folders;
  }

  private followOne(inner: Inner, scope: Scope, redirects: readonly Redirection[]): void {
    switch (inner.type) {
      case "words": {
        if (scope.depth > DEPTH_MAX) return this.draft.hide("it is nested too deeply");
        const inside: Scope = { ...scope, isSeen: scope.isSeen || inner.isSeen === true };
        this.record(inner.words, inside, { assignments: [], redirects });
        if (inner.isScript) this.recordInFolders(inner.words, inside);
        scope.folders = inside.folders;
        return;
      }
      case "script": {
        this.draft.hasShell = true;
        const isPosix = scope.isPosix || inner.isPosix === true;
        const inside: Scope = { ...scope, isPosix, shellAt: scope.wrappers.length };
        this.readLine(inner.text, inside);
        scope.folders = inside.folders;
        return;
      }
      case "glimpse":
        this.draft.addGlimpse(inner.text);
        return;
    }
  }

  /** A script is also looked at by its whole name: `cd dist && bash main.sh` runs `dist/main.sh`. */
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

  private changeFolder(words: readonly ShellWord[], scope: Scope): void {
    const isOfShell = scope.wrappers.slice(scope.shellAt).every((wrapper) => KEEPS_SHELL.has(wrapper));
    if (!CHANGES_FOLDER.has(words[0]?.value ?? "") || !isOfShell) return;
    this.draft.isMoving = true;
    const folders = changedFolders(scope.folders, words);
    if (folders) scope.folders = folders;
    else this.draft.hide("it cannot be seen in which folder the rest runs");
  }
}

/** The program and the script of a shell, where their names mean other files than in the folder of the line. */
function wordsElsewhere(
  words: readonly ShellWord[],
  unwrapped: Unwrapped | null,
  { folders, start }: Scope,
): readonly number[] {
  const scripts = (unwrapped?.inner ?? []).flatMap((inner) =>
    inner.type === "words" && inner.isScript ? [words.length - inner.words.length] : [],
  );
  const files = words[0]?.value.includes("/") ? [0, ...scripts] : scripts;
  return files.filter((at) => leadsAway(words[at]?.value ?? "", folders, start));
}
