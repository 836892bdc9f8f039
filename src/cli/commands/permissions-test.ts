/** `signalbox permissions test`: what the rules say of a call. */
import { resolve } from "node:path";
import type { DecisionItem } from "../../protocol/api-permissions.js";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Colour } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

const NAME = "permissions test";

const COLOURS: Readonly<Record<DecisionItem["decision"], Colour>> = {
  allow: "green",
  deny: "red",
  ask: "yellow",
  none: "bold",
};

export async function testPermission(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, {
    ...CLIENT_OPTIONS,
    cwd: { type: "string" },
    harness: { type: "string" },
  });
  const [call] = takeWords(NAME, positionals, ["CALL"]);
  const client = await openClient(values);
  const cwd = resolve(values.cwd ?? process.cwd());
  const harness = values.harness === undefined ? {} : { harness: values.harness };
  const decided = await client.testPermission({ call, cwd, ...harness });
  if (values.json) await printJson(decided);
  else await print(describe(decided));
  return EXIT.ok;
}

function describe({ decision, rule, file, because }: DecisionItem): string {
  const lines = [
    `${painter()(COLOURS[decision], decision)}: ${oneLine(because)}`,
    ...(rule === null ? [] : [`rule: ${oneLine(rule)}`]),
    ...(file === null ? [] : [`file: ${oneLine(file)}`]),
  ];
  return `${lines.join("\n")}\n`;
}
