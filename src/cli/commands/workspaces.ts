/** `signalbox workspaces`: what there is, and what is done with. */
import type { Client } from "../../client/client.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { clipped, oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";
import { timeAgo } from "../time-span.js";
import { atRest, resolveWorkspace, workspaceWords } from "../workspace-name.js";

export const workspacesCommand: Command = {
  help: `Usage: signalbox workspaces ls
       signalbox workspaces clean [--all] [--dry-run]
       signalbox workspaces update|retry|abort ID
       signalbox workspaces resolve|run ID
       signalbox workspaces pr ID [--send]

ls       every workspace, with its branch, its size, and what it holds
clean    discards what is finished and holds nothing else, and empties the trash of what is there for 14 days;
         nothing that holds work is touched
update   brings the base into a workspace
retry    makes it or runs its setup again, or goes on with a finish after its conflicts are resolved
resolve  asks the agent, in one message, to resolve the conflicts; retry goes on when it has
run      starts the project's run command in it, as a terminal session behind a wall; signalbox attach shows it
pr       shows the checks and reviews of its pull request; --send gives what failed and what was said to the agent
abort    goes on without the setup, or takes back a finish; the files are put back as they were

Options:
  --all            clean: everything that is in the trash
  --dry-run        clean: only say what would go
  --send           pr: as one message to the agent
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("workspaces", args, {
    ...CLIENT_OPTIONS,
    all: { type: "boolean" },
    "dry-run": { type: "boolean" },
    send: { type: "boolean" },
  });
  const [what, typed] = takeWords("workspaces", positionals, [WORDS, "[ID]"]);
  const json = values.json === true;
  const client = await openClient(values);
  if (what === "ls" && typed === undefined) return list(client, json);
  if (what === "clean" && typed === undefined)
    return clean(client, json, { all: values.all === true, dryRun: values["dry-run"] === true });
  if ((what === "update" || what === "retry" || what === "abort") && typed !== undefined)
    return ask(client, json, what, typed);
  if (what === "resolve" && typed !== undefined) return resolve(client, json, typed);
  if (what === "run" && typed !== undefined) return start(client, json, typed);
  if (what === "pr" && typed !== undefined) return showRequest(client, json, typed, values.send === true);
  throw new UsageError(
    `give ${WORDS}, and an ID for the others than ls and clean`,
    "See signalbox workspaces --help.",
  );
}

const WORDS = "ls, clean, update, retry, abort, resolve, run or pr";

async function list(client: Client, json: boolean): Promise<ExitCode> {
  const { items } = await client.listWorkspaces({ look: "1", sizes: "1" });
  if (json) await printJson(items);
  else if (items.length === 0)
    await print("no workspaces; signalbox new AGENT PROMPT --workspace makes one\n");
  else {
    const rows = items.map((item) => [
      item.id.slice(0, 8),
      timeAgo(item.createdAtMs),
      `${Math.ceil((item.sizeBytes ?? 0) / 1_048_576)} MiB`,
      oneLine(item.branch),
      oneLine(workspaceWords(item)),
      item.path,
    ]);
    const look = { paint: painter(), ...outputWidth() };
    const head = ["WORKSPACE", "MADE", "SIZE", "BRANCH", "STATUS", "PATH"];
    await print(`${textTable(head, rows, look).join("\n")}\n`);
  }
  return EXIT.ok;
}

async function clean(
  client: Client,
  json: boolean,
  wanted: { readonly all: boolean; readonly dryRun: boolean },
): Promise<ExitCode> {
  personOnly("cleaning workspaces");
  const cleaned = await client.cleanWorkspaces(wanted);
  if (json) {
    await printJson(cleaned);
    return EXIT.ok;
  }
  const would = wanted.dryRun ? "would be " : "";
  const size = (bytes: number) => `${Math.ceil(bytes / 1_048_576)} MiB`;
  const lines = [
    ...cleaned.discarded.map((path) => `${would}moved to the trash: ${path}`),
    ...cleaned.deleted.map(({ path, sizeBytes }) => `${would}deleted: ${path} (${size(sizeBytes)})`),
    ...cleaned.kept.map(
      ({ path, sizeBytes, trashedAtMs }) =>
        `in the trash since ${timeAgo(trashedAtMs)}: ${path} (${size(sizeBytes)})`,
    ),
  ];
  await print(`${lines.length === 0 ? "nothing to clean" : lines.join("\n")}\n`);
  return EXIT.ok;
}

async function ask(
  client: Client,
  json: boolean,
  what: "update" | "retry" | "abort",
  typed: string,
): Promise<ExitCode> {
  personOnly(`${what} of a workspace`);
  const { id } = await resolveWorkspace(client, typed);
  const call = {
    update: () => client.updateWorkspace(id, {}),
    retry: () => client.retryWorkspace(id, {}),
    abort: () => client.abortWorkspace(id, {}),
  }[what];
  const after = await atRest(client, await call());
  if (json) await printJson(after);
  else {
    const output =
      after.error?.code === "setup_failed" && after.setupOutput ? `\n${after.setupOutput.trimEnd()}` : "";
    const conflicts = after.status === "conflicted" ? ` in ${after.conflicts.map(oneLine).join(", ")}` : "";
    await print(`${id}: ${oneLine(workspaceWords(after))}${conflicts}${output}\n`);
  }
  return after.status === "failed" || after.status === "conflicted" ? EXIT.refused : EXIT.ok;
}

async function resolve(client: Client, json: boolean, typed: string): Promise<ExitCode> {
  personOnly("asking an agent to resolve conflicts");
  const { id } = await resolveWorkspace(client, typed);
  const told = await client.resolveWorkspace(id, {});
  if (json) await printJson(told);
  else await print(`${told.sessionId} is asked to; then signalbox workspaces retry ${id}\n`);
  return EXIT.ok;
}

/** Executes what an agent may have written: behind a wall where one stands, as the agent does. */
async function start(client: Client, json: boolean, typed: string): Promise<ExitCode> {
  personOnly("starting what an agent made");
  const { id, path, runCommand, branch } = await resolveWorkspace(client, typed);
  if (runCommand === null)
    throw new CommandFailure(
      "the project has no run command",
      "Set one with signalbox projects set PROJECT --run COMMAND.",
      EXIT.refused,
    );
  const session = await client.createSession({
    ...{ harness: "terminal", cwd: path, workspace: { id } },
    title: `run ${branch}`,
    args: ["/bin/sh", "-c", runCommand],
  });
  if (json) await printJson(session);
  else await print(`${session.id}: signalbox attach ${session.id}\n`);
  return EXIT.ok;
}

async function showRequest(client: Client, json: boolean, typed: string, send: boolean): Promise<ExitCode> {
  personOnly("looking at a pull request");
  const { id } = await resolveWorkspace(client, typed);
  if (send) {
    const told = await client.sendPullRequest(id, {});
    if (json) await printJson(told);
    else await print(`sent to ${told.sessionId}\n`);
    return EXIT.ok;
  }
  const seen = await client.getPullRequest(id);
  if (json) await printJson(seen);
  else {
    const lines = [
      `${oneLine(seen.url)}: ${oneLine(seen.state)}`,
      ...seen.checks.map(({ name, state }) => `  ${state.padEnd(7)} ${oneLine(name)}`),
      ...seen.reviews.map(
        ({ author, state, path, line, body }) =>
          `  ${clipped(`${author ?? "somebody"} ${state}${path === null ? "" : ` ${path}:${line ?? ""}`}: ${body}`, 110)}`,
      ),
    ];
    await print(`${lines.join("\n")}\n`);
  }
  return EXIT.ok;
}
