/** `npm start`: from a fresh clone to something to look at. */
import { build, checkNode, exitStatus, installPackages, ROOT, runScript } from "./set-up.mjs";

runScript(() => {
  checkNode();
  installPackages();
  build();
  return exitStatus(process.execPath, [`${ROOT}dist/src/cli/main.js`, "tour"]);
});
