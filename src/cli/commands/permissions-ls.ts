/** `signalbox permissions ls`: every rule that has a say over a folder. */
import { resolve } from "node:path";
import type { FolderTrustItem, PermissionReport, RuleItem } from "../../protocol/api-permissions.js";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Colour, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";

const NAME = "permissions ls";

const COLOURS: Readonly<Record<RuleItem["effect"], Colour>> = {
  deny: "red",
  grant: "green",
  ask: "yellow",
  allow: "green",
};
/** As they win over each other. */
const ORDER: readonly RuleItem["effect"][] = ["deny", "grant", "ask", "allow"];

export async function listPermissions(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions(NAME, args, { ...CLIENT_OPTIONS, cwd: { type: "string" } });
  takeWords(NAME, positionals, []);
  const client = await openClient(values);
  const report = await client.getPermissions({ cwd: resolve(values.cwd ?? process.cwd()) });
  if (values.json) await printJson(report);
  else await print(describe(report, painter()));
  return EXIT.ok;
}

function describe({ project, rules, trust, flaws }: PermissionReport, paint: Paint): string {
  const isListed = ({ kind, effect }: RuleItem): boolean => kind !== "builtin" || effect !== "deny";
  const listed = rules.filter(isListed);
  const rows = ORDER.flatMap((effect) => listed.filter((rule) => rule.effect === effect)).map((rule) => [
    { text: rule.effect, colour: rule.counts ? COLOURS[rule.effect] : "dim" } as const,
    rule.rule,
    rule.counts ? placeOf(rule) : `${placeOf(rule)} (does not count: not trusted)`,
  ]);
  const lines = [
    `project ${oneLine(project)}`,
    ...flaws.map(({ file, line, column, message }) => {
      const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
      return paint(
        "red",
        `${oneLine(place)}: ${oneLine(message)}; until it is corrected, everything is asked`,
      );
    }),
    ...trust.map((folder) => describeTrust(folder, paint)),
    ...textTable(["EFFECT", "RULE", "WHERE"], rows, { paint, ...outputWidth() }),
    // Always the same, and many: who wants to see them asks for JSON.
    `and ${rules.length - listed.length} built-in denies, which keep agents from Signalbox's own files and commands`,
  ];
  return `${lines.join("\n")}\n`;
}

function placeOf({ file, line, kind }: RuleItem): string {
  if (file === null) return kind === "builtin" ? "built in" : kind;
  return line === null ? file : `${file}:${line}`;
}

export function describeTrust({ folder, state, problem }: FolderTrustItem, paint: Paint): string {
  const words = {
    trusted: "is trusted, as it is now",
    changed: "has changed since it was trusted, so that what it permits does not count",
    untrusted: "is not trusted: what it permits does not count",
  };
  const more = problem === null ? "" : ` (${oneLine(problem)})`;
  return paint(state === "trusted" ? "green" : "yellow", `${oneLine(folder)} ${words[state]}${more}`);
}
