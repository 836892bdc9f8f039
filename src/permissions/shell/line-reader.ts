/** Reads a line into what it would run: every command, wherever it stands, and what those run in turn. */
import {
  forEachChild,
  parse,
  type AndOr,
  type Command,
  type Function,
  type Pipeline,
  type Script,
  type SyntaxNode,
  type Word,
} from "unbash";
import type { AnalysisDraft } from "./analysis-draft.js";
import { readCommand, WORDS_MAX, type Assigned } from "./command-words.js";
import { CommandRecorder, type Place } from "./command-recorder.js";
import { DEPTH_MAX, whyTooLong } from "./line-bounds.js";
import { hostsInText, namedPaths } from "./named-words.js";
import { redirectedFile } from "./redirections.js";
import { readWord, WORD_LENGTH_MAX } from "./shell-word.js";
import { riskOfNode } from "./syntax-risk.js";
import { variableRisk } from "./variable-risk.js";
import { pathIn, unite, type Folders } from "./working-folders.js";

/** Parts of the grammar inside each other. Whatever is in `$(…)` is read once more for each that it is in. */
const NODE_DEPTH_MAX = 64;
/** Parts of the grammar in all, of a loop as often as it is read. */
const NODES_MAX = 4_000;

/** Where in the line something stands. Only folders change while it is read. */
export interface Scope extends Place {
  folders: Folders;
  /** It is read by a shell that knows only what POSIX says. */
  readonly isPosix: boolean;
  readonly depth: number;
}

export class LineReader {
  private readonly recorder: CommandRecorder;
  private nodeCount = 0;
  private nodeDepth = 0;

  constructor(private readonly draft: AnalysisDraft) {
    this.recorder = new CommandRecorder(draft, (text, scope) => this.readLine(text, scope));
  }

  /** `text`: all that a shell reads, or that `eval` reads again. */
  readLine(text: string, scope: Scope): void {
    const script = this.parse(text, scope.depth);
    if (script) this.visit(script, scope);
  }

  /** Null: it cannot be read, and was looked through. */
  private parse(text: string, depth: number): Script | null {
    const why = depth > DEPTH_MAX ? "it is nested too deeply" : whyTooLong(text);
    if (why === null) {
      try {
        return parse(text);
      } catch (error) {
        // The parser has bounds, but not for everything that can be nested: `f() f() f()`.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    this.draft.hide(why ?? "it is nested too deeply");
    return null;
  }

  private visit(node: SyntaxNode, scope: Scope): void {
    this.nodeCount += 1;
    if (this.nodeDepth >= NODE_DEPTH_MAX) this.draft.hide("it is nested too deeply");
    else if (this.nodeCount > NODES_MAX) this.draft.hide("it takes too long to read");
    else {
      this.nodeDepth += 1;
      this.visitNode(node, scope);
      this.nodeDepth -= 1;
    }
  }

  private visitNode(node: SyntaxNode, scope: Scope): void {
    const risk = riskOfNode(node, scope.isPosix);
    if (risk !== null) this.draft.hide(risk);
    this.draft.counting.note(node);
    if (node.type === "Assignment")
      this.nameWords(node.value.type === "Word" ? [node.value] : node.value.elements, scope);
    if ((node.type === "For" || node.type === "Select") && node.wordlist)
      this.nameWords(node.wordlist, scope);
    switch (node.type) {
      case "Statement":
        if (node.background) this.visitApart(node.command, scope);
        else this.visitPerhaps(node.command, scope);
        return;
      case "AndOr":
        this.visitList(node, scope);
        return;
      case "Pipeline":
        this.visitPipeline(node, scope);
        return;
      case "Subshell":
      case "Coproc":
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        forEachChild(node, (child) => this.visitApart(child, scope));
        return;
      case "Function":
        this.visitFunction(node, scope);
        return;
      case "For":
      case "Select":
      case "While":
      case "ArithmeticFor":
        this.visitLoop(node, scope);
        return;
      case "Command":
        this.visitCommand(node, scope);
        return;
      case "Redirect":
        this.visitRedirect(node, scope, null);
        if (node.target) this.visitApart(node.target, scope);
        return;
      case "Word":
        if (node.text.length > WORD_LENGTH_MAX)
          this.draft.hide(`a word has more than ${WORD_LENGTH_MAX} characters`);
        forEachChild(node, (child) => this.visit(child, scope));
        return;
      case "Redirected":
        for (const redirect of node.redirects) this.visit(redirect, scope);
        this.visit(node.command, scope);
        return;
      default:
        forEachChild(node, (child) => this.visit(child, scope));
    }
  }

  /** In a shell of its own: what it does to the folder ends with it. */
  private visitApart(node: SyntaxNode, scope: Scope): void {
    this.visit(node, { ...scope });
  }

  /** What it does to the folder may have failed. */
  private visitPerhaps(node: SyntaxNode, scope: Scope): void {
    const before = scope.folders;
    this.visit(node, scope);
    this.moveTo(scope, unite(before, scope.folders));
  }

  private moveTo(scope: Scope, folders: Folders | null): void {
    if (folders) scope.folders = folders;
    else this.draft.hide("it cannot be seen in which folder the rest runs");
  }

  /** Behind `cd x &&` there is no doubt about the folder. Behind `||`, and behind them all, any of them may have failed. */
  private visitList({ commands, operators }: AndOr, scope: Scope): void {
    const certain = operators.includes("||") ? operators.indexOf("||") : operators.length;
    let all: Folders | null = scope.folders;
    for (const [index, command] of commands.entries()) {
      if (operators[index - 1] === "||") this.moveTo(scope, all);
      if (command.type === "Command" && index < certain) this.visit(command, scope);
      else this.visitPerhaps(command, scope);
      all = all && unite(all, scope.folders);
    }
    this.moveTo(scope, all);
  }

  private visitPipeline({ commands }: Pipeline, scope: Scope): void {
    const [only] = commands;
    if (commands.length === 1 && only) this.visitPerhaps(only, scope);
    else for (const command of commands) this.visitApart(command, scope);
  }

  private visitFunction({ name, body }: Function, scope: Scope): void {
    this.draft.functions.add(name.value);
    this.visitPerhaps(body, scope);
  }

  /** Once more for as long as it is in other folders than before. */
  private visitLoop(node: SyntaxNode, scope: Scope): void {
    for (let before: Folders = []; before.length < scope.folders.length;) {
      before = scope.folders;
      forEachChild(node, (child) => this.visitPerhaps(child, scope));
    }
  }

  /** What a variable is given: `f=.env; cat $f`. */
  private nameWords(words: readonly Word[], { folders }: Scope): void {
    for (const word of words.slice(0, WORDS_MAX).flatMap(readWord)) {
      for (const named of namedPaths(word))
        if (!named.isOfText) this.draft.addNamed(named, folders, null, false);
      this.draft.addHosts(hostsInText(word.value), null);
    }
  }

  private visitCommand(node: Command, scope: Scope): void {
    if (node.prefix.length > WORDS_MAX || node.args.length > WORDS_MAX)
      this.draft.hide(`a command has more than ${WORDS_MAX} words`);
    const { words, assigned } = readCommand(node);
    for (const assignment of assigned) this.checkAssignment(assignment);
    const isAlone = words.length === 0;
    const named = assigned.filter(({ name }) => !isAlone && variableRisk(name) === "other");
    const hidden = named.find(({ isUnknown }) => isUnknown);
    if (hidden) this.draft.hide(`the value of ${hidden.name} is computed`);
    const before = { ...scope };
    const index = isAlone
      ? null
      : this.recorder.record(words, scope, {
          assignments: named.map(({ text }) => text),
          redirects: node.redirects,
        });
    // Redirections are opened, and substitutions run, before the command itself.
    for (const redirect of node.redirects) {
      if (redirect.type === "Redirect") this.visitRedirect(redirect, before, index);
    }
    forEachChild(node, (child) => {
      if (child.type !== "Redirect") this.visitApart(child, before);
      else if (child.target) this.visitApart(child.target, before);
    });
  }

  private checkAssignment({ name, text, isRunnable }: Assigned): void {
    if (variableRisk(name) === "risky") this.draft.hide(`${text} may change which program is run`);
    else if (isRunnable) this.draft.hide(`${name} holds a text that the shell may run`);
  }

  private visitRedirect(
    node: Extract<SyntaxNode, { readonly type: "Redirect" }>,
    { folders, isPosix }: Scope,
    command: number | null,
  ): void {
    const risk = riskOfNode(node, isPosix);
    if (risk !== null) this.draft.hide(risk);
    this.draft.counting.note(node);
    const found = redirectedFile(node);
    if (found.type === "hidden") this.draft.hide(found.reason);
    if (found.type !== "files") return;
    for (const category of found.categories) {
      for (const folder of folders) {
        const path = pathIn(folder, found.word.path);
        this.draft.addFile({ category, path, exact: true, demand: "allow", certain: true, command });
      }
    }
  }
}
