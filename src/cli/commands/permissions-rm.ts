/** `signalbox permissions rm`: a rule of the person's own, not any more. */
import { resolve } from "node:path";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { givenOne } from "../given-one.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

const NAME = "permissions rm";
const EFFECTS = ["allow", "ask", "deny", "grant"] as const;
const PLACES = ["project", "global"] as const;

export async function removePermission(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, {
    ...CLIENT_OPTIONS,
    cwd: { type: "string" },
    allow: { type: "boolean" },
    ask: { type: "boolean" },
    deny: { type: "boolean" },
    grant: { type: "boolean" },
    project: { type: "boolean" },
    global: { type: "boolean" },
  });
  const [rule] = takeWords(NAME, positionals, ["RULE"]);
  const effect = givenOne(EFFECTS, values);
  const scope = givenOne(PLACES, values) === "global" ? "always" : "project";
  personOnly("changing what agents may do");
  const client = await openClient(values);
  const cwd = resolve(values.cwd ?? process.cwd());
  const body = { rule, scope, cwd, ...(effect === undefined ? {} : { effect }) } as const;
  const removed = await client.removeRule(body);
  if (values.json) await printJson(removed);
  else await print(`removed ${removed.effect} ${oneLine(rule)} from ${oneLine(removed.file)}\n`);
  return EXIT.ok;
}
