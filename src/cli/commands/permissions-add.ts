/** `signalbox permissions add`: a rule of the person's own. */
import { resolve } from "node:path";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { givenOne } from "../given-one.js";
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
  const effect = givenOne(EFFECTS, values) ?? "allow";
  const scope = givenOne(PLACES, values) === "global" ? "always" : "project";
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
