/** `npm test`: from a fresh clone to one last line, `N passed, N failed`. Arguments go to vitest. */
import { runVitest, tell } from "./run-vitest.mjs";
import { build, checkNode, installPackages, runScript, say, SetUpError } from "./set-up.mjs";

await runScript(() =>
  tell(
    prepare()
      ? runVitest({ projects: ["unit", "system", "model"], args: process.argv.slice(2) })
      : { passed: 0, failed: 1 },
  ),
);

/** Whether there is something to test. What cannot be built has failed. */
function prepare() {
  try {
    checkNode();
    installPackages();
    build();
    return true;
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    say(error.message);
    return false;
  }
}
