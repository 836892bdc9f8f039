/** `signalbox top`: the board in a terminal. */
import { openClient } from "../client-options.js";
import { CommandFailure, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { takeWords } from "../take-words.js";
import { wantsBell } from "../wants-bell.js";

export const topCommand: Command = {
  help: `Usage: signalbox top [options]

Shows all sessions, live: those that need you first, then failed ones, then those at work. One key answers: a approves
once, s in this session, p in this project, A always, r rejects, m writes a message; t retries, u resumes, w begins a
new turn; / filters, ? shows the other keys, q leaves. Agents go on.

Options:
  --no-bell        do not ring when an agent asks for something
  --data-dir DIR   the daemon's data folder
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("top", args, {
    "data-dir": { type: "string" },
    "no-bell": { type: "boolean" },
  });
  takeWords("top", positionals, []);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new CommandFailure(
      "top needs a terminal",
      "Without one, see signalbox ls --watch, or signalbox ls --watch --json.",
      EXIT.refused,
    );
  }
  const client = await openClient(values);
  // Where this is set Ink draws only its last frame; but whoever has a terminal looks at it.
  delete process.env["CI"];
  const bell = values["no-bell"] !== true && (await wantsBell());
  const { runTop } = await import("../top/top-app.js");
  await runTop(client, { colours: !process.env["NO_COLOR"], bell });
  return EXIT.ok;
}
