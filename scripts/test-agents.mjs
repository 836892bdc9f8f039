/**
 * `npm run test:agents`: installs the real agents outside the repository, then holds each against the matrix, with a
 * scripted model on this machine. `SIGNALBOX_AGENTS=claude,codex` or `all` says which; arguments go to vitest.
 */
import { runVitest, tell } from "./run-vitest.mjs";
import { build, checkNode, installPackages, runScript, say, SetUpError } from "./set-up.mjs";
import { withoutNetwork } from "./without-network.mjs";

await runScript(async () => {
  checkNode();
  installPackages();
  build();
  await installAgents();
  const lanes = [{ projects: ["agents"] }];
  return tell(await runVitest({ lanes, args: process.argv.slice(2), launcher: withoutNetwork() }));
});

/** While there is a network: the tests may have none. */
async function installAgents() {
  const [{ installAgent, InstallError }, { chosenPackage }, { chosenAgents }] = await Promise.all([
    import("../dist/test/agents/install.js"),
    import("../dist/test/agents/packages.js"),
    import("../dist/test/agents/matrix/chosen-agents.js"),
  ]);
  for (const name of chosenAgents(process.env["SIGNALBOX_AGENTS"])) {
    const wanted = chosenPackage(name);
    say(`${name} ${wanted.version}`);
    try {
      await installAgent(wanted);
    } catch (error) {
      throw error instanceof InstallError ? new SetUpError(error.message, 1) : error;
    }
  }
}
