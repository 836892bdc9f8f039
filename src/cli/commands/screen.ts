/** `signalbox screen`: what a captured screen shows. */
import { readFile } from "node:fs/promises";
import { OTHER_AGENTS, readScreen, SCREEN_AGENTS } from "../../core/index.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { nearestName } from "../nearest-name.js";
import { parseOptions } from "../parse-options.js";
import { printJson } from "../print.js";
import { renderScreen } from "../render-screen.js";
import { takeWords } from "../take-words.js";

const SHELL = "shell";
const NAMES: readonly string[] = [...SCREEN_AGENTS, ...OTHER_AGENTS, SHELL];
const COLS_MAX = 1_000;
const ROWS_MAX = 1_000;
const FILE_SIZE_MAX_BYTES = 64 * 1024 * 1024;

export const screenCommand: Command = {
  help: `Usage: signalbox screen --agent NAME [options] FILE

Says what a terminal shows after the bytes of a file, as one line of JSON: {"activity","confidence","evidence"}. The
file is what an agent wrote to its terminal, a dump of its screen, or plain rows of text. What no rule recognises is
"unknown".

Options:
  --agent NAME  whose screen it is: ${SCREEN_AGENTS.join(", ")};
                or one of which only plain dialogs are read: ${OTHER_AGENTS.join(", ")}; or ${SHELL}
  --cols N      how wide the terminal was (120)
  --rows N      how high the terminal was (40)
  --title TEXT  the window title, if the file does not set it
  --json        changes nothing: it is always JSON
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("screen", args, {
    agent: { type: "string" },
    cols: { type: "string", default: "120" },
    rows: { type: "string", default: "40" },
    title: { type: "string" },
    json: { type: "boolean" },
  });
  const [path] = takeWords("screen", positionals, ["FILE"]);
  const agent = takeAgent(values.agent);
  const size = {
    cols: takeSize("cols", values.cols, COLS_MAX),
    rows: takeSize("rows", values.rows, ROWS_MAX),
  };
  const rendered = await renderScreen(await readScreenFile(path), size);
  const screen = values.title === undefined ? rendered : { ...rendered, title: values.title };
  const { activity, confidence, evidence } = readScreen(agent, screen);
  await printJson({ activity, confidence, evidence });
  return EXIT.ok;
}

function takeAgent(name: string | undefined): string | null {
  const agents = `The agents are: ${NAMES.join(", ")}.`;
  if (name === undefined) throw new UsageError("whose screen is it? --agent is missing", agents);
  if (!NAMES.includes(name)) {
    const nearest = nearestName(name, NAMES);
    const hint = nearest === null ? agents : `Did you mean ${nearest}? ${agents}`;
    throw new UsageError(`unknown agent ${JSON.stringify(name)}`, hint);
  }
  return name === SHELL ? null : name;
}

function takeSize(option: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new UsageError(`--${option} ${JSON.stringify(text)} is no size`, `Give a number from 1 to ${max}.`);
}

async function readScreenFile(path: string): Promise<Buffer> {
  const hint = "Give a file with what an agent wrote to its terminal.";
  const bytes = await readFile(path).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`cannot read ${path}: ${reason}`, hint, EXIT.refused);
  });
  if (bytes.length <= FILE_SIZE_MAX_BYTES) return bytes;
  throw new CommandFailure(`${path} has more than ${FILE_SIZE_MAX_BYTES} bytes`, hint, EXIT.refused);
}
