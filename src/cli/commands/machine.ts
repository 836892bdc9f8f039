/** `signalbox machine`: a machine on its own, one event per line in, one answer per line out. */
import { MACHINES } from "../../core/machines.js";
import { drawMermaid } from "../../core/mermaid.js";
import { BatchWriter } from "../batch-writer.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { LineSplitter, type Line } from "../line-splitter.js";
import { player, type Play, type Player } from "../machine-player.js";
import { nearestName } from "../nearest-name.js";
import { machineTour } from "../machine-tour.js";
import { parseOptions } from "../parse-options.js";
import { print } from "../print.js";

const LINE_SIZE_MAX_BYTES = 16 * 1024 * 1024;

const PLAYERS: Readonly<Record<keyof typeof MACHINES, Player>> = {
  session: player(MACHINES.session),
  turn: player(MACHINES.turn),
  roster: player(MACHINES.roster),
  terminal: player(MACHINES.terminal),
  workspace: player(MACHINES.workspace),
};

const NAMES = Object.keys(PLAYERS);

export const machineCommand: Command = {
  help: `Usage: signalbox machine <${NAMES.join("|")}> [options]
       signalbox machine tour

Runs one of the pure machines. Reads one JSON event per line on stdin and writes one JSON object per line:
{"result","state","effects","error"?}. A line that is not a valid event gets the result "invalid" and changes nothing.
tour feeds a few events through the session and the roster machine, and shows what each one answers.

Options:
  --initial JSON  replace fields of the initial state
  --table         print the machine's table as JSON, and read nothing
  --mermaid       print the machine's diagram for Mermaid, and read nothing

Exit status: 0, 1 if any line was invalid, 2 if the command line is wrong.
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("machine", args, {
    initial: { type: "string" },
    table: { type: "boolean" },
    mermaid: { type: "boolean" },
  });
  if (positionals.length === 1 && positionals[0] === "tour") {
    await print(machineTour());
    return EXIT.ok;
  }
  const { description, play } = choosePlayer(positionals);
  if (values.table && values.mermaid) {
    throw new UsageError("--table and --mermaid exclude each other", "Ask for one at a time.");
  }
  const started = play(values.initial);
  const output = new BatchWriter(process.stdout);
  if (values.table) await output.write(`${JSON.stringify(description, null, 2)}\n`);
  else if (values.mermaid) await output.write(drawMermaid(description));
  else await answerLines(started, output);
  await output.flush();
  return started.invalidCount() > 0 ? EXIT.invalidInput : EXIT.ok;
}

function choosePlayer(positionals: readonly string[]): Player {
  const [name, ...rest] = positionals;
  const machines = `The machines are: ${NAMES.join(", ")}.`;
  if (name === undefined) throw new UsageError("which machine?", machines);
  if (rest.length > 0) throw new UsageError(`one machine at a time, not also ${rest.join(" ")}`, machines);
  if (isMachineName(name)) return PLAYERS[name];
  const nearest = nearestName(name, NAMES);
  const hint = nearest === null ? machines : `Did you mean ${nearest}? ${machines}`;
  throw new UsageError(`unknown machine ${JSON.stringify(name)}`, hint);
}

function isMachineName(name: string): name is keyof typeof MACHINES {
  return NAMES.includes(name);
}

async function answerLines(play: Play, output: BatchWriter): Promise<void> {
  const splitter = new LineSplitter(LINE_SIZE_MAX_BYTES);
  const answer = async (lines: readonly Line[]) => {
    for (const line of lines) {
      const text = play.answer(line);
      const pending = text === null ? undefined : output.write(`${text}\n`);
      if (pending) await pending;
    }
    // Whoever writes one event and waits for its answer gets it now.
    await output.flush();
  };
  if (process.stdin.isTTY) process.stderr.write("Reading one JSON event per line; end with Ctrl-D.\n");
  for await (const chunk of process.stdin) {
    await answer(splitter.push(chunk as Buffer));
    if (output.readerIsGone) return;
  }
  await answer(splitter.end());
}
