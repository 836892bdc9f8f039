/** `signalbox permissions trust`: lets what a folder brings along count. */
import { resolve } from "node:path";
import type { FolderTrustItem } from "../../protocol/api-permissions.js";
import { readAnswer } from "../ask-prompter.js";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { visibleLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { describeTrust } from "./permissions-ls.js";

const NAME = "permissions trust";

export async function trustFolder(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, {
    ...CLIENT_OPTIONS,
    revoke: { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  });
  const [word] = takeWords(NAME, positionals, ["DIR"]);
  personOnly("changing what agents may do");
  const client = await openClient(values);
  const dir = resolve(word);
  const isShown = values.json !== true;
  if (values.revoke === true) {
    await show(await client.trustFolder({ dir, revoke: true }), isShown);
    return EXIT.ok;
  }
  const { cwd, trust } = await client.getPermissions({ cwd: dir });
  const seen = trust.find(({ folder }) => folder === cwd);
  if (seen && isShown) await print(describeContent(seen));
  if (seen && values.yes !== true) await needAgreement(isShown);
  // Only what was shown: if it has changed meanwhile, the daemon refuses.
  const hash = seen?.hash === undefined || seen.hash === null ? {} : { hash: seen.hash };
  await show(await client.trustFolder({ dir, ...hash }), isShown);
  return EXIT.ok;
}

async function show(trust: FolderTrustItem, isShown: boolean): Promise<void> {
  if (isShown) await print(`${describeTrust(trust, painter())}\n`);
  else await printJson(trust);
}

/** All that will count: nobody should trust what they have not seen. */
function describeContent({ folder, files, allows }: FolderTrustItem): string {
  const lines = [
    `${visibleLine(folder)} permits:`,
    ...(allows.length === 0 ? ["  nothing"] : allows.map((rule) => `  ${visibleLine(rule)}`)),
    "and these of its files count, as they are now:",
    ...files.map((file) => `  .signalbox/${visibleLine(file)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** Silence is no agreement: where nobody can be asked, it must have been given. */
async function needAgreement(isShown: boolean): Promise<void> {
  if (!isShown || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandFailure(
      "nothing was trusted: nobody is at a terminal to be asked",
      "Look at what it permits with signalbox permissions ls --cwd DIR; --yes trusts it without asking.",
      EXIT.refused,
    );
  const terminal = { input: process.stdin, output: process.stdout };
  const said = await readAnswer(terminal, "Trust it? y or n: ", new AbortController().signal);
  if (said !== null && /^y(es)?$/i.test(said.trim())) return;
  const exitCode = said === null ? EXIT.interrupted : EXIT.refused;
  throw new CommandFailure("nothing was trusted", "Answer y to trust it.", exitCode);
}
