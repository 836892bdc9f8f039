/** `signalbox completion`: what a shell needs to complete command lines. */
import { SignalboxError, UnreachableError } from "../../client/signalbox-error.js";
import type { Client } from "../../client/client.js";
import { clientOf } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { findDaemon } from "../daemon-process.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { nearestName } from "../nearest-name.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print } from "../print.js";
import { shortIds } from "../session-name.js";
import { statusWord } from "../status-words.js";
import { takeWords } from "../take-words.js";
import type { Candidate, LiveWords } from "../completion/candidates.js";

const SESSIONS_MAX = 100;

export const completionCommand: Command = {
  help: `Usage: signalbox completion <bash|zsh|fish>

Prints what makes a shell complete commands, options, and the ids of sessions. Put one of these where your shell
reads it:

  bash   ~/.bashrc                    eval "$(signalbox completion bash)"
  zsh    ~/.zshrc                     eval "$(signalbox completion zsh)"
  fish   ~/.config/fish/config.fish   signalbox completion fish | source

Options:
  --words          print what could be written: the words of a line follow after --; for the shells' own use
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("completion", args, { words: { type: "boolean" } });
  if (values.words) return offer(positionals);
  const [shell] = takeWords("completion", positionals, ["SHELL"]);
  const { SHELL_SCRIPTS } = await import("../completion/shell-scripts.js");
  const script = Object.hasOwn(SHELL_SCRIPTS, shell) ? SHELL_SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const nearest = nearestName(shell, Object.keys(SHELL_SCRIPTS));
    throw new UsageError(
      `unknown shell ${JSON.stringify(shell)}`,
      `${nearest === null ? "" : `Did you mean ${nearest}? `}The shells are: ${Object.keys(SHELL_SCRIPTS).join(", ")}.`,
    );
  }
  await print(script);
  return EXIT.ok;
}

async function offer(words: readonly string[]): Promise<ExitCode> {
  const { candidatesFor } = await import("../completion/candidates.js");
  const found = await candidatesFor(words, LIVE);
  await print(found.map(({ word, about }) => `${word}\t${about}\n`).join(""));
  return EXIT.ok;
}

const LIVE: LiveWords = {
  sessions: () =>
    ask(async (client) => {
      const { items } = await client.listSessions({ limit: SESSIONS_MAX });
      const short = shortIds(items.map(({ id }) => id));
      return items.map((session) => ({
        word: short.get(session.id) ?? session.id,
        about: `${statusWord(session)}  ${clipped(session.title, 60)}`,
      }));
    }),
  harnesses: () =>
    ask(
      async (client) => {
        const { items } = await client.listHarnesses();
        const installed = items.filter((item) => item.installed);
        return installed.map(({ name, version }) => ({ word: name, about: version ?? "" }));
      },
      [{ word: "demo", about: "needs nothing" }],
    ),
  devices: () =>
    ask(async (client) => {
      const { items } = await client.listDevices();
      return items.map(({ id, name }) => ({ word: id, about: clipped(name, 60) }));
    }),
};

/** Whoever only presses Tab starts no daemon, and reads no errors. */
async function ask(
  question: (client: Client) => Promise<readonly Candidate[]>,
  otherwise: readonly Candidate[] = [],
): Promise<readonly Candidate[]> {
  const daemon = await findDaemon(dataFolder(undefined));
  if (daemon === null) return otherwise;
  try {
    return await question(clientOf(daemon));
  } catch (error) {
    if (error instanceof SignalboxError || error instanceof UnreachableError) return otherwise;
    throw error;
  }
}
