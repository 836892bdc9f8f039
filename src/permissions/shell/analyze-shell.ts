/**
 * What a shell line would run: every command in it, whatever it is written behind, the files and hosts that they name, and
 * why the line can never be allowed, if so. Nothing is run, and no file is looked at.
 */
import type { ShellAnalysis } from "../../core/index.js";
import { AnalysisDraft } from "./analysis-draft.js";
import { LineReader } from "./line-reader.js";
import { programName } from "./program-name.js";
import { RecentMap } from "../recent-map.js";
import { strangeCharacter } from "./strange-characters.js";

const LINE_LENGTH_MAX = 64 * 1024;
const KEPT_LENGTH_MAX = 8 * 1024;
const KEPT_MAX = 512;

const kept = new RecentMap<ShellAnalysis>(KEPT_MAX);

/** `shell`: its name or path. Only bash and plain `sh` are read; of any other, only words are seen. */
export function analyzeShell(command: string, shell: string, cwd: string): ShellAnalysis {
  if (command.length > KEPT_LENGTH_MAX) return analyze(command, shell, cwd);
  const key = `${shell}\0${cwd}\0${command}`;
  const known = kept.get(key);
  if (known) return known;
  const analysis = analyze(command, shell, cwd);
  kept.set(key, analysis);
  return analysis;
}

function analyze(command: string, shell: string, cwd: string): ShellAnalysis {
  const draft = new AnalysisDraft();
  const name = programName(shell);
  if (command.length > LINE_LENGTH_MAX) {
    draft.hide(`it has more than ${LINE_LENGTH_MAX} characters`);
    return draft.finish(command.slice(0, LINE_LENGTH_MAX));
  }
  const strange = strangeCharacter(command);
  if (strange !== null) draft.hide(strange);
  if (name !== "bash" && name !== "sh")
    draft.hide(`the language of ${name === "" ? "its shell" : name} is not read`);
  new LineReader(draft).readLine(command, {
    folders: [cwd],
    outer: null,
    wrappers: [],
    isSeen: false,
    shellAt: 0,
    start: cwd,
    isPosix: name === "sh",
    depth: 0,
  });
  return draft.finish(command);
}
