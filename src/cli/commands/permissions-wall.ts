/** `signalbox permissions wall`: what an agent would be kept in. */
import { resolve } from "node:path";
import type { WallReport } from "../../protocol/wall-state.js";
import type { WallPlan } from "../../protocol/wall.js";
import { CLIENT_OPTIONS, openClient } from "../client-options.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";

const NAME = "permissions wall";

export async function showWall(args: readonly string[]): Promise<ExitCode> {
  const options = { ...CLIENT_OPTIONS, cwd: { type: "string" }, harness: { type: "string" } } as const;
  const { values, positionals } = parseOptions(NAME, args, options);
  takeWords(NAME, positionals, []);
  const client = await openClient(values);
  const { harness } = values;
  const cwd = resolve(values.cwd ?? process.cwd());
  const report = await client.getWall({ cwd, ...(harness === undefined ? {} : { harness }) });
  if (values.json) await printJson(report);
  else await print(describe(report, painter()));
  return EXIT.ok;
}

function describe(report: WallReport, paint: Paint): string {
  const { plan } = report;
  const lines = [
    stateLine(report, paint),
    ...(report.problem === null ? [] : [paint("red", oneLine(report.problem))]),
    ...(plan === null ? [] : planLines(plan, paint)),
  ];
  return `${lines.join("\n")}\n`;
}

function networkLines({
  mode,
  hosts,
  services,
  denied = [],
  publish,
}: WallPlan["network"]): readonly string[] {
  const list = (what: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${what}: ${texts.map(oneLine).join(" ")}`];
  return [
    `network ${mode}`,
    ...list("hosts", hosts),
    ...list("services", services),
    ...list("denied hosts", denied),
    ...(publish ? ["ports that it listens on: reached from this machine; signalbox show says where"] : []),
  ];
}

function stateLine({ mode, probe, isOn }: WallReport, paint: Paint): string {
  if (isOn && probe.ok) return paint("green", `on: ${probe.backend} ${probe.version}, mode ${mode}`);
  if (mode === "off") return paint("yellow", "off: [wall] mode is off; this is what it would be");
  const mend = probe.ok || probe.mend === null ? "" : ` To mend it: ${oneLine(probe.mend)}`;
  return paint("red", `not possible, mode ${mode}: ${probe.ok ? "" : oneLine(probe.reason)}${mend}`);
}

function planLines({ gaps, ...plan }: WallPlan, paint: Paint): readonly string[] {
  const rows = [
    ...plan.writable.map(({ path, why }) => [{ text: "write", colour: "green" } as const, path, why]),
    ...plan.readOnly.map(({ path, why }) => ["read", path, why]),
    ...plan.hidden.map(({ path, why, rule }) => [
      { text: "hidden", colour: "red" } as const,
      path,
      rule ?? why,
    ]),
    ...plan.scratch.map(({ path, why }) => ["own", path, why]),
    ...plan.copied.map(({ path, why }) => ["copy", path, why]),
    ...plan.sockets.map(({ path, why }) => ["socket", path, why]),
  ];
  return [
    ...networkLines(plan.network),
    `the system outside of home is readable, and not writable`,
    ...textTable(["MAY", "PATH", "WHY"], rows, { paint, ...outputWidth() }),
    `variables: ${plan.environment.keep.map(oneLine).join(" ")}`,
    ...gaps.map(({ rule, why }) => paint("yellow", `not held: ${oneLine(rule)}: ${oneLine(why)}`)),
  ];
}
