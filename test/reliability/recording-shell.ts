/** A real bash that writes down what it gets: every command that it runs, and what stands in its line on request. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.js";

/** Makes the shell write down the line that it edits, and throw it away. */
// No character of these means anything to a terminal in line mode, in which the shell may still be.
export const TELL_LINE = "\x18\x05";

export class RecordingShell {
  private readonly commandsFile: string;
  private readonly lineFile: string;

  /** Started as `/bin/bash` with this home folder. */
  constructor(home: string) {
    this.commandsFile = join(home, "shell-commands");
    this.lineFile = join(home, "shell-line");
    const lines = [
      // Not the shells that programs start for themselves.
      "[[ $- == *i* && -t 0 ]] || return",
      "PS1='$ '",
      "unset HISTFILE",
      `tell_line() { printf '%s' "$READLINE_LINE" > '${this.lineFile}.new'; mv '${this.lineFile}.new' '${this.lineFile}'; READLINE_LINE=; }`,
      `bind -x '"\\C-x\\C-e": tell_line'`,
      `note_command() { case $BASH_COMMAND in tell_line*|printf*|mv*|READLINE_LINE*) ;; *) printf '%s\\n' "$BASH_COMMAND" >> '${this.commandsFile}' ;; esac; }`,
      "trap note_command DEBUG",
    ];
    writeFileSync(join(home, ".bashrc"), `${lines.join("\n")}\n`);
  }

  /** What it has run so far. */
  get commands(): readonly string[] {
    if (!existsSync(this.commandsFile)) return [];
    return readFileSync(this.commandsFile, "utf8").split("\n").slice(0, -1);
  }

  /** What stands in its line, at its prompt. */
  async line(press: (keys: string) => Promise<void>): Promise<string> {
    rmSync(this.lineFile, { force: true });
    await press(TELL_LINE);
    await until(() => existsSync(this.lineFile));
    return readFileSync(this.lineFile, "utf8");
  }
}
