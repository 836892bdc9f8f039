/** `npm test`: from a fresh clone to one last line, `N passed, N failed`. Arguments go to vitest. */
import { findBrowser } from "./browser.mjs";
import { hasBubblewrap } from "./bubblewrap.mjs";
import { runVitest, tell } from "./run-vitest.mjs";
import { build, checkNode, installPackages, runScript, say, SetUpError } from "./set-up.mjs";

await runScript(async () => {
  if (!prepare()) return tell({ passed: 0, failed: 1 });
  const browser = findBrowser();
  if (browser !== null) process.env["SIGNALBOX_BROWSER"] = browser;
  const isWalled = hasBubblewrap();
  // What starts daemons and browsers mostly waits, and must not wait for what only computes.
  const waiting = { projects: ["system", ...(browser === null ? [] : ["browser"])] };
  const computing = { projects: ["pure", "unit", "model"], priority: 5 };
  const results = await runVitest({ lanes: [computing, waiting], args: process.argv.slice(2) });
  if (!isWalled) say("skipped: no bubblewrap");
  return tell(results);
});

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
