/** `npm test`: from a fresh clone to one last line, `N passed, N failed`. Arguments go to vitest. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

runScript(() => {
  const { passed, failed } = prepare() ? runTests(process.argv.slice(2)) : { passed: 0, failed: 1 };
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
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

function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const report = join(folder, "report.json");
  try {
    const status = exitStatus(
      process.execPath,
      [
        `${ROOT}node_modules/vitest/vitest.mjs`,
        "run",
        ...["--project", "unit", "--project", "system", "--project", "model"],
        ...["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`],
        ...args,
      ],
      { NO_COLOR: "1", FORCE_COLOR: undefined, SIGNALBOX_BUILT: "1" },
    );
    return count(JSON.parse(readFileSync(report, "utf8")), status);
  } catch (error) {
    say(`vitest left no report: ${error.message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file that could not be run counts as one failure, and so does anything else that made vitest fail. */
function count(report, status) {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((result) => result.status === "failed"),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return { passed: report.numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
}
