/**
 * `npm run drift`: has an agent changed since its pin? Asks the registry of npm for the newest version of each agent,
 * installs it outside the repository, plays the day of B9 and the matrix with it, captures its screens, and prints what
 * differs from the pin. Exit status 0: nothing does; 1: something does, or could not be looked at; 2: wrong arguments.
 *
 *     --only claude,codex   some agents            --quick   few cells and scenes, and no screens
 *     --all                 also those whose pin is the newest
 *     --record              plays the pins, and keeps what is seen of them in test/drift/pins.json
 *     --skip screens,day,matrix
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  build,
  checkNode,
  exitStatus,
  installPackages,
  ROOT,
  runScript,
  say,
  SetUpError,
} from "./set-up.mjs";
import { withoutNetwork } from "./without-network.mjs";

await runScript(async () => {
  const { only, quick, all, record, skip } = options();
  checkNode();
  installPackages();
  build();
  const plan = await planFor(only, all || record, record);
  mkdirSync(`${ROOT}.bench`, { recursive: true });
  const file = `${ROOT}.bench/drift-plan.json`;
  writeFileSync(file, `${JSON.stringify({ plan, quick, record, skip }, null, 2)}\n`);
  const [program, ...args] = [...withoutNetwork(), process.execPath, `${ROOT}dist/test/drift/main.js`, file];
  return exitStatus(program, args, { NO_COLOR: "1", FORCE_COLOR: undefined });
});

function options() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string" },
        quick: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
        record: { type: "boolean", default: false },
        skip: { type: "string", default: "" },
      },
    });
    return { ...values, skip: values.skip.split(",").filter((word) => word !== "") };
  } catch (error) {
    throw new SetUpError(error.message, 2);
  }
}

/** Which version of which agent is to be played, while there is a network: those who play may have none. */
async function planFor(only, isAll, isOfPins) {
  const [{ installAgent, InstallError }, packages, { newestOf, NotAnswered }, { chosenAgents }] =
    await Promise.all([
      import("../dist/test/agents/install.js"),
      import("../dist/test/agents/packages.js"),
      import("../dist/test/agents/newest.js"),
      import("../dist/test/agents/matrix/chosen-agents.js"),
    ]);
  const plan = [];
  for (const agent of named(only, chosenAgents)) {
    const { pinned } = packages.VERSIONS[agent];
    try {
      const wanted = isOfPins ? pinned : await newestOf(agent);
      const isPlayed = isAll || wanted.version !== pinned.version;
      say(`${agent} ${wanted.version}${isPlayed ? "" : ", the pin: not played without --all"}`);
      if (isPlayed) await installAgent(wanted);
      plan.push({ agent, version: wanted.version, isPlayed, problem: null });
    } catch (error) {
      if (!(error instanceof InstallError) && !(error instanceof NotAnswered)) throw error;
      plan.push({ agent, version: null, isPlayed: false, problem: error.message });
    }
  }
  return plan;
}

function named(only, chosenAgents) {
  try {
    return chosenAgents(only ?? "all");
  } catch (error) {
    throw new SetUpError(error.message, 2);
  }
}
