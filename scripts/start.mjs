/** `npm start`: from a fresh clone to a running daemon, some demo sessions and a link to its page, until `q` or Ctrl-C. Arguments go to `signalbox up`. */
import { buildProgram, checkNode, exitStatus, installPackages, ROOT, runScript } from "./set-up.mjs";

await runScript(async () => {
  checkNode();
  installPackages();
  await buildProgram();
  const args = ["up", "--foreground", "--keys", ...process.argv.slice(2)];
  return exitStatus(process.execPath, [`${ROOT}dist/programs/cli/main.js`, ...args]);
});
