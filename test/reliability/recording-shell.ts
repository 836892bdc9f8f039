/** A real bash that writes down what it gets: every command that it runs, and what stands in its line on request. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.js";

/** Makes the shell write down the line that it edits, and throw it away. */
export const TELL_LINE = "\x18\x12";

export class RecordingShell {
  readonly args: readonly string[];
  private readonly commandsFile: string;
  private readonly lineFile: string;

  constructor(folder: string) {
    this.commandsFile = join(folder, "shell-commands");
    this.lineFile = join(folder, "shell-line");
    const startFile = join(folder, "shell-start");
    const lines = [
      "PS1='$ '",
      "unset HISTFILE",
      `tell_line() { printf '%s' "$READLINE_LINE" > '${this.lineFile}.new'; mv '${this.lineFile}.new' '${this.lineFile}'; READLINE_LINE=; }`,
      `bind -x '"\\C-x\\C-r": tell_line'`,
      `note_command() { case $BASH_COMMAND in tell_line*|printf*|mv*|READLINE_LINE*) ;; *) printf '%s\\n' "$BASH_COMMAND" >> '${this.commandsFile}' ;; esac; }`,
      "trap note_command DEBUG",
    ];
    writeFileSync(startFile, `${lines.join("\n")}\n`);
    this.args = ["--noprofile", "--rcfile", startFile, "-i"];
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
