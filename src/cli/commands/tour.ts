/** `signalbox tour`: three demo agents in a small repository, by the very commands that a person would type. */
import { resolve } from "node:path";
import type { Client } from "../../client/client.js";
import { openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { print } from "../print.js";
import { programName } from "../program-name.js";
import { takeWords } from "../take-words.js";
import { quotedIfNeeded, TourGuide } from "../tour/tour-guide.js";
import { makeTourRepository } from "../tour/tour-repository.js";

export const tourCommand: Command = {
  help: `Usage: signalbox tour [options]

Makes a small git repository and leads you through it: three demo agents, an approval, a question, a diff, a review, a
merge and a race. Each command is shown, and run when you press Enter; s skips a step, q leaves. The demo agents are
scripts: they need no model, no key and no network. At the end it says what was made, and how to remove it.

Options:
  --dir DIR        where the repository is made: a new or empty folder, in no other repository; beside the data
                   folder, when absent
  --yes            go on without waiting for Enter, as it does when nobody is at a terminal
  --data-dir DIR   the daemon's data folder
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("tour", args, {
    dir: { type: "string" },
    yes: { type: "boolean" },
    "data-dir": { type: "string" },
  });
  takeWords("tour", positionals, []);
  personOnly("the tour");
  const dataDir = dataFolder(values["data-dir"]);
  const wanted = values.dir === undefined ? undefined : resolve(values.dir);
  const repository = await makeTourRepository(wanted, dataDir);
  const client = await openClient(values);
  const isAsked = values.yes !== true && process.stdin.isTTY && process.stdout.isTTY;
  await print(await welcome(client, repository, values["data-dir"]));
  const isWhole = await new TourGuide({ client, repository, dataDir, isAsked }).lead();
  await print(await farewell(client, repository, isWhole));
  return EXIT.ok;
}

async function welcome(client: Client, repository: string, dataDir: string | undefined): Promise<string> {
  const { url } = await client.createLoginLink({ role: "own" });
  const own = programName() === "signalbox" ? [] : [`alias signalbox="node ${process.argv[1] ?? ""}"`];
  const data =
    dataDir === undefined ? [] : [`export SIGNALBOX_DATA_DIR=${quotedIfNeeded(dataFolder(dataDir))}`];
  return `Ten minutes with coding agents. The agents here are scripts, not models: they
need no key and no network. All that they change is real.

The repository, a few files of JavaScript with tests:
  ${repository}
Watch the agents on the page, in a browser. The link works once, within an hour:
  ${url}
Type the commands yourself, in another terminal, after:
${[...own, ...data, `cd ${quotedIfNeeded(repository)}`].map((line) => `  ${line}`).join("\n")}
`;
}

async function farewell(client: Client, repository: string, isWhole: boolean): Promise<string> {
  const { items: projects } = await client.listProjects();
  const project = projects.find(({ directory }) => directory === repository);
  const { items } = await client.listWorkspaces();
  const sessions = items
    .filter(({ projectId }) => projectId === project?.id)
    .flatMap((each) => each.sessionIds);
  const removal = [
    ...(sessions.length === 0
      ? []
      : [`signalbox rm ${sessions.map((id) => id.slice(0, 8)).join(" ")} --force --discard-workspace --yes`]),
    `rm -rf ${quotedIfNeeded(repository)}`,
  ];
  return `
${isWhole ? "That was the tour." : "You left the tour."} It made the repository, and ${sessions.length} sessions, each
with a workspace. They stay, so that you can play with them. To remove all of it
(workspaces are kept in the trash for 14 days):
${removal.map((line) => `  ${line}`).join("\n")}

Next, in a repository of yours:
  signalbox harnesses                        # which agents are installed here
  signalbox run claude "…" --workspace       # one of them, in a workspace
`;
}
