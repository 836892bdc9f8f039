/** `npm start`: from a fresh clone to a running daemon, some demo sessions and its page, until Ctrl-C. Arguments go to `signalbox up`. */
import { buildProgram, checkNode, exitStatus, installPackages, ROOT, runScript } from "./set-up.mjs";

await runScript(async () => {
  checkNode();
  installPackages();
  await buildProgram();
  const args = ["up", "--foreground", "--demo", "--open", ...process.argv.slice(2)];
  return exitStatus(process.execPath, [`${ROOT}dist/src/cli/main.js`, ...args]);
});
