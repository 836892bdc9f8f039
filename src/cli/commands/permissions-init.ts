/** `signalbox permissions init`: a first file of rules for a project. */
import { resolve } from "node:path";
import { STARTER_KINDS, type StarterKind } from "../../protocol/api-permissions.js";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";

const NAME = "permissions init";

export async function initPermissions(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, { ...CLIENT_OPTIONS, cwd: { type: "string" } });
  const kinds = positionals.map(kindOf);
  personOnly("changing what agents may do");
  const client = await openClient(values);
  const cwd = resolve(values.cwd ?? process.cwd());
  const written = await client.initPermissions({ cwd, ...(kinds.length === 0 ? {} : { kinds }) });
  if (values.json) await printJson(written);
  else {
    const about = written.kinds.length === 0 ? "no kind of project" : written.kinds.join(", ");
    await print(`wrote ${written.ruleCount} rules (${about}) to ${oneLine(written.file)}\n`);
  }
  return EXIT.ok;
}

function kindOf(word: string): StarterKind {
  const kind = STARTER_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  throw new UsageError(
    `unknown kind of project ${JSON.stringify(word)}`,
    `One of ${STARTER_KINDS.join(", ")}; none: what the project's files tell.`,
  );
}
