/** `signalbox init`: what a shell evaluates to have `signalbox ask` on a key. */
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { print } from "../print.js";
import { integrationFor, programWords, SHELLS } from "../shell-integration.js";
import { takeWords } from "../take-words.js";

export const initCommand: Command = {
  help: `Usage: signalbox init bash|zsh|fish

Prints what puts signalbox ask on a key. The key sends the line that you have typed as the question, or asks for
one; Tab puts the suggested command on the command line, Enter runs it there, Esc leaves the line as it was.

  bash, in ~/.bashrc:                    eval "$(signalbox init bash)"
  zsh, in ~/.zshrc:                      eval "$(signalbox init zsh)"
  fish, in ~/.config/fish/config.fish:   signalbox init fish | source

The key is Ctrl-X i in bash and zsh, Alt-I in fish. Another one: set SIGNALBOX_ASK_KEY before that line, in the
notation of the shell's own bind, for example '\\C-xa' in bash, '^Xa' in zsh, \\ea in fish. Bash must be 4 or newer.
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { positionals } = parseOptions("init", args, {});
  const [name] = takeWords("init", positionals, ["SHELL"]);
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined)
    throw new UsageError(`unknown shell ${JSON.stringify(name)}`, `The shells are: ${SHELLS.join(", ")}.`);
  await print(integrationFor(shell, programWords(process.execPath, process.argv[1] ?? "signalbox")));
  return EXIT.ok;
}
