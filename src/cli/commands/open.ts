/** `signalbox open`: the page, in a browser that is signed in by a link that works once. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { showLoginLink } from "../login-link.js";
import { parseOptions } from "../parse-options.js";
import { printJson } from "../print.js";
import { takeWords } from "../take-words.js";

export const openCommand: Command = {
  help: `Usage: signalbox open [options]

Prints a link that signs a browser in, once, and opens it when you are at a terminal.

Options:
  --print          only print it
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("open", args, {
    ...CLIENT_OPTIONS,
    print: { type: "boolean" },
  });
  takeWords("open", positionals, []);
  const client = await openClient(values);
  if (values.json) await printJson(await client.createLoginLink({ role: "own" }));
  else await showLoginLink(client, { browse: process.stdout.isTTY && values.print !== true });
  return EXIT.ok;
}
