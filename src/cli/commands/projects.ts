/** `signalbox projects`: the repositories that workspaces are made from. */
import { resolve } from "node:path";
import type { Client } from "../../client/client.js";
import type { Project } from "../../protocol/workspace.js";
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
       signalbox projects set PROJECT [--setup COMMAND] [--copy PATTERN] [--base BRANCH] [--prefix TEXT]

ls       the repositories that are known, with what is done in a new workspace of each
add      makes the repository of a directory known; here, when absent
set      changes that; a text of "" takes the setting away

Options:
  --setup COMMAND  run in every new workspace, before its agent is started
  --copy PATTERN   untracked files to bring along, as gitignore writes them; may be repeated
  --base BRANCH    the branch that changes are for; the one that is checked out, when absent
  --prefix TEXT    before the names of branches; signalbox/, when absent
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("projects", args, {
    ...CLIENT_OPTIONS,
    setup: { type: "string" },
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
  const { setup, copy, base, prefix } = values;
  const changed = await client.patchProject(project.id, {
    ...(setup === undefined ? {} : { setup: setup === "" ? null : setup }),
    ...(copy === undefined ? {} : { copy: copy.filter((pattern) => pattern !== "") }),
    ...(base === undefined ? {} : { base: base === "" ? null : base }),
    ...(prefix === undefined ? {} : { branchPrefix: prefix }),
  });
  return tell(changed, json);
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
  const { setup, copy, base, branchPrefix } = settings;
  return [
    setup === null ? "no setup" : `setup ${setup}`,
    copy.length === 0 ? "" : `copy ${copy.join(" ")}`,
    base === null ? "" : `base ${base}`,
    `branches ${branchPrefix}…`,
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
