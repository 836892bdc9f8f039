/** `signalbox race`: one prompt, several agents, one of them chosen. */
import { resolve } from "node:path";
import type { Client } from "../../client/client.js";
import type { CreateRace, Race } from "../../protocol/race.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveRace, sessionIn } from "../race-name.js";
import { raceTable } from "../race-table.js";
import { readStdin } from "../read-stdin.js";
import { takeWords } from "../take-words.js";

const WAYS = ["merge", "squash", "rebase", "branch"] as const;

export const raceCommand: Command = {
  help: `Usage: signalbox race PROMPT --with AGENT[:MODEL] --with AGENT[:MODEL] [options]
       signalbox race choose RACE SESSION --how merge|squash|rebase|branch [-m TEXT]
       signalbox race stop RACE

Starts several agents on one prompt, each in a workspace of its own that begins at the same commit. When one is done,
the check is run in its workspace. signalbox races RACE shows how they compare. choose finishes the change of one;
the others are stopped, and their branches are kept. A PROMPT of - is read from stdin.

Options:
  --with AGENT     an agent that takes part, or AGENT:MODEL; may be repeated
  -n N             so many of each
  --check COMMAND  what decides, run by /bin/sh in each workspace; the project's check, when absent
  --cwd DIR        in the repository; here, when absent
  --from REF       where all begin: a branch, a tag, a commit; the branch that is checked out, when absent
  --how WAY        choose: merge, squash, rebase or branch; see signalbox finish
  -m, --message T  choose: the message of the commit
${CLIENT_HELP}`,
  run,
};

const OPTIONS = {
  ...CLIENT_OPTIONS,
  with: { type: "string", multiple: true },
  n: { type: "string", short: "n" },
  check: { type: "string" },
  cwd: { type: "string" },
  from: { type: "string" },
  how: { type: "string" },
  message: { type: "string", short: "m" },
} as const;

const HINT = "See signalbox race --help.";

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("race", args, OPTIONS);
  const [word] = positionals;
  const json = values.json === true;
  if (values.with === undefined && word === "choose") {
    const [, race, session] = takeWords("race", positionals, ["choose", "RACE", "SESSION"]);
    const how = WAYS.find((each) => each === values.how);
    if (how === undefined) throw new UsageError(`--how is one of ${WAYS.join(", ")}`, HINT);
    personOnly("choosing in a race");
    return choose(await openClient(values), json, race, session, { how, message: values.message });
  }
  if (values.with === undefined && word === "stop") {
    const [, race] = takeWords("race", positionals, ["stop", "RACE"]);
    const client = await openClient(values);
    return show(await client.stopRace((await resolveRace(client, race)).id, {}), json);
  }
  const [prompt] = takeWords("race", positionals, ["PROMPT"]);
  const text = prompt === "-" ? await readStdin() : prompt;
  const client = await openClient(values);
  const race = await client.createRace(wishOf(text, values));
  if (json) await printJson(race);
  else
    await print(
      `${race.id}: ${race.entries.length} agents from ${race.base.branch} at ${race.base.commit.slice(0, 12)}\n` +
        `See signalbox races ${race.id.slice(0, 8)}\n`,
    );
  return EXIT.ok;
}

interface Wished {
  readonly with?: readonly string[] | undefined;
  readonly n?: string | undefined;
  readonly check?: string | undefined;
  readonly cwd?: string | undefined;
  readonly from?: string | undefined;
}

function wishOf(prompt: string, values: Wished): CreateRace {
  const entries = (values.with ?? []).map((text) => {
    const [harness = "", ...model] = text.split(":");
    return { harness, ...(model.length === 0 ? {} : { model: model.join(":") }) };
  });
  if (entries.length === 0) throw new UsageError("--with is missing: name the agents that take part", HINT);
  const n = values.n === undefined ? 1 : Number(values.n);
  if (!Number.isInteger(n) || n < 1) throw new UsageError(`-n ${values.n ?? ""}: not a number`, HINT);
  if (entries.length * n < 2)
    throw new UsageError("a race needs two agents or more: --with again, or -n 2", HINT);
  if (values.check !== undefined) personOnly("--check");
  return {
    ...{ prompt, entries, directory: resolve(values.cwd ?? process.cwd()) },
    ...(n === 1 ? {} : { n }),
    ...(values.check === undefined ? {} : { check: values.check }),
    ...(values.from === undefined ? {} : { from: values.from }),
  };
}

async function choose(
  client: Client,
  json: boolean,
  typed: string,
  session: string,
  finish: { readonly how: (typeof WAYS)[number]; readonly message: string | undefined },
): Promise<ExitCode> {
  const race = await resolveRace(client, typed);
  const sessionId = sessionIn(race, session);
  const { how, message } = finish;
  const after = await client.chooseInRace(race.id, {
    sessionId,
    finish: { how, ...(message === undefined ? {} : { message }) },
  });
  if (json || after.status !== "choosing") return show(after, json);
  const conflicted = after.entries.find(({ isChosen }) => isChosen)?.workspaceStatus === "conflicted";
  await print(
    conflicted
      ? `conflicts with ${after.base.branch}: resolve them in the workspace, then signalbox workspaces retry ${sessionId}\n`
      : `${race.id}: the change is being finished; see signalbox races ${race.id.slice(0, 8)}\n`,
  );
  return conflicted ? EXIT.refused : EXIT.ok;
}

async function show(race: Race, json: boolean): Promise<ExitCode> {
  if (json) await printJson(race);
  else await print(`${oneLine(race.title)}: ${race.status}\n${raceTable(race).join("\n")}\n`);
  return EXIT.ok;
}
