/** `signalbox projects`: the repositories that workspaces are made from. */
import { resolve } from "node:path";
import type { Client } from "../../client/client.js";
import { APPROVALS } from "../../core/index.js";
import type { Project, ProjectSettings } from "../../protocol/workspace.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";

export const projectsCommand: Command = {
  help: `Usage: signalbox projects ls
       signalbox projects add [DIR]
       signalbox projects set PROJECT [--setup COMMAND] [--check COMMAND] [--run COMMAND] [--copy PATTERN]
                              [--base BRANCH] [--prefix TEXT] [--agent NAME] [--model NAME] [--approve WHO]
                              [--disk GIB]

ls       the repositories that are known, with what is done in a new workspace of each
add      makes the repository of a directory known; here, when absent
set      changes that; a text of "" takes the setting away

Options:
  --setup COMMAND  run in every new workspace, before its agent is started
  --check COMMAND  tells whether what was made in a workspace is good; see signalbox check
  --run COMMAND    starts what was made in a workspace; see signalbox workspaces run
  --copy PATTERN   untracked files to bring along, as gitignore writes them; may be repeated
  --base BRANCH    the branch that changes are for; the one that is checked out, when absent
  --prefix TEXT    before the names of branches; signalbox/, when absent
  --agent NAME     for sessions of the agent called default
  --model NAME     of new sessions of that agent, or of any when no agent is set
  --approve WHO    of new sessions: ask, contained or auto
  --disk GIB       what its workspaces may take of the disk; 20, when absent
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("projects", args, {
    ...CLIENT_OPTIONS,
    setup: { type: "string" },
    check: { type: "string" },
    run: { type: "string" },
    agent: { type: "string" },
    model: { type: "string" },
    approve: { type: "string" },
    disk: { type: "string" },
    copy: { type: "string", multiple: true },
    base: { type: "string" },
    prefix: { type: "string" },
  });
  const [what, typed] = takeWords("projects", positionals, ["ls, add or set", "[DIR or PROJECT]"]);
  const json = values.json === true;
  const client = await openClient(values);
  if (what === "ls" && typed === undefined) return list(client, json);
  if (what === "add") {
    personOnly("adding a project");
    return tell(await client.addProject({ directory: resolve(typed ?? process.cwd()) }), json);
  }
  if (what !== "set" || typed === undefined)
    throw new UsageError("give ls, add [DIR] or set PROJECT", "See signalbox projects --help.");
  personOnly("changing a project");
  const project = only((await client.listProjects()).items, typed);
  const { setup, check, copy, base, prefix, agent, model } = values;
  const orNull = (text: string): string | null => (text === "" ? null : text);
  const changed = await client.patchProject(project.id, {
    ...(setup === undefined ? {} : { setup: orNull(setup) }),
    ...(check === undefined ? {} : { check: orNull(check) }),
    ...(values.run === undefined ? {} : { run: orNull(values.run) }),
    ...(agent === undefined ? {} : { harness: orNull(agent) }),
    ...(model === undefined ? {} : { model: orNull(model) }),
    ...approveOf(values.approve),
    ...diskOf(values.disk),
    ...(copy === undefined ? {} : { copy: copy.filter((pattern) => pattern !== "") }),
    ...(base === undefined ? {} : { base: orNull(base) }),
    ...(prefix === undefined ? {} : { branchPrefix: prefix }),
  });
  return tell(changed, json);
}

function approveOf(typed: string | undefined): Partial<Pick<ProjectSettings, "approve">> {
  if (typed === undefined) return {};
  if (typed === "") return { approve: null };
  const approve = APPROVALS.find((each) => each === typed);
  if (approve !== undefined) return { approve };
  throw new UsageError(`--approve is one of ${APPROVALS.join(", ")}`, "See signalbox projects --help.");
}

function diskOf(typed: string | undefined): Partial<Pick<ProjectSettings, "diskBytesMax">> {
  if (typed === undefined) return {};
  if (typed === "") return { diskBytesMax: null };
  const gib = Number(typed);
  if (Number.isFinite(gib) && gib > 0) return { diskBytesMax: Math.ceil(gib * 1024 ** 3) };
  throw new UsageError(`--disk ${typed}: not a number of GiB`, "See signalbox projects --help.");
}

async function tell(project: Project, json: boolean): Promise<ExitCode> {
  if (json) await printJson(project);
  else await print(`${project.id} ${oneLine(project.name)}: ${oneLine(settingsWords(project))}\n`);
  return EXIT.ok;
}

async function list(client: Client, json: boolean): Promise<ExitCode> {
  const { items } = await client.listProjects();
  if (json) await printJson(items);
  else if (items.length === 0) await print("no projects; signalbox projects add DIR makes one known\n");
  else {
    const rows = items.map((item) => [
      item.id.slice(0, 8),
      oneLine(item.name),
      item.directory ?? item.gitDirectory,
      oneLine(settingsWords(item)),
    ]);
    const look = { paint: painter(), ...outputWidth() };
    await print(`${textTable(["PROJECT", "NAME", "DIRECTORY", "SETTINGS"], rows, look).join("\n")}\n`);
  }
  return EXIT.ok;
}

function settingsWords({ settings }: Project): string {
  const { setup, check, run, copy, base, branchPrefix, harness, model, approve } = settings;
  return [
    setup === null ? "no setup" : `setup ${setup}`,
    check === null ? "" : `check ${check}`,
    run === null ? "" : `run ${run}`,
    copy.length === 0 ? "" : `copy ${copy.join(" ")}`,
    base === null ? "" : `base ${base}`,
    `branches ${branchPrefix}…`,
    harness === null ? "" : `agent ${harness}`,
    model === null ? "" : `model ${model}`,
    approve === null ? "" : `approve ${approve}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function only(items: readonly Project[], typed: string): Project {
  const found = items.filter(({ id, name }) => typed !== "" && (id.startsWith(typed) || name === typed));
  const [project] = found;
  if (project && found.length === 1) return project;
  throw new CommandFailure(
    found.length === 0
      ? `no project ${JSON.stringify(typed)}`
      : `${JSON.stringify(typed)} means several projects`,
    "See signalbox projects ls.",
    EXIT.refused,
  );
}
