/** `signalbox permissions add`: a rule of the person's own. */
import { resolve } from "node:path";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

const NAME = "permissions add";
const EFFECTS = ["allow", "ask", "deny"] as const;
const PLACES = ["project", "global"] as const;

export async function addPermission(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, {
    ...CLIENT_OPTIONS,
    cwd: { type: "string" },
    allow: { type: "boolean" },
    ask: { type: "boolean" },
    deny: { type: "boolean" },
    project: { type: "boolean" },
    global: { type: "boolean" },
  });
  const [rule] = takeWords(NAME, positionals, ["RULE"]);
  const effect = oneOf(EFFECTS, values);
  const scope = oneOf(PLACES, values) === "global" ? "always" : "project";
  personOnly("changing what agents may do");
  const client = await openClient(values);
  const cwd = resolve(values.cwd ?? process.cwd());
  const added = await client.addRule({ rule, effect, scope, cwd });
  if (values.json) await printJson(added);
  else
    await print(
      `${added.isNew ? "added" : "it was there already:"} ${effect} ${oneLine(rule)} in ${oneLine(added.file)}\n`,
    );
  return EXIT.ok;
}

/** The first, unless told otherwise. */
function oneOf<const Names extends readonly [string, ...string[]]>(
  names: Names,
  values: Readonly<Record<string, unknown>>,
): Names[number] {
  const given = names.filter((name) => values[name] === true);
  if (given.length <= 1) return given[0] ?? names[0];
  throw new UsageError(
    `${given.map((name) => `--${name}`).join(" and ")} exclude each other`,
    `See signalbox permissions --help.`,
  );
}
