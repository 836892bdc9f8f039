/** `signalbox rewind`: puts a session's files back. */
import type { RewoundReport } from "../../protocol/changes.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { visibleLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

export const rewindCommand: Command = {
  help: `Usage: signalbox rewind ID TURN [options]

Puts the files back to what they were at the end of TURN; 0 is the start. Only what later turns of this session changed,
and only while it is as they left it; the rest is listed. All files are kept as they are now before anything is changed.

Options:
  --confirm        also what somebody else has changed since
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("rewind", args, {
    ...CLIENT_OPTIONS,
    confirm: { type: "boolean" },
  });
  const [id, turn] = takeWords("rewind", positionals, ["ID", "TURN"]);
  if (!/^\d{1,9}$/.test(turn))
    throw new UsageError(`${JSON.stringify(turn)} is no number of a turn`, "See signalbox rewind --help.");
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  const rewound = await client.rewind(session.id, { turn: Number(turn), confirm: values.confirm === true });
  if (values.json === true) await printJson(rewound);
  else await print(inWords(rewound, session.id));
  return rewound.left.some(({ because }) => because !== "not_kept") ? EXIT.refused : EXIT.ok;
}

const BECAUSE = {
  changed_since: "was changed since; --confirm puts it back too",
  changed_between: "was changed between turns by somebody else; --confirm puts it back too",
  not_kept: "is not kept anywhere, and stays",
} as const;

function inWords({ turn, restored, removed, left, keptAs }: RewoundReport, id: string): string {
  const isNothing = restored.length === 0 && removed.length === 0;
  return [
    ...restored.map((path) => `put back   ${visibleLine(path)}`),
    ...removed.map((path) => `taken away ${visibleLine(path)}`),
    ...left.map(({ path, because }) => `left       ${visibleLine(path)}: ${BECAUSE[because]}`),
    isNothing ? "nothing was changed" : `the files of turn ${turn} are back`,
    `as it was before: git show refs/signalbox/${id}/${keptAs}`,
    "",
  ].join("\n");
}
