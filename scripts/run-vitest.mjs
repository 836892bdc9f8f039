/** Runs vitest, and tells how many tests passed and failed. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { exitStatus, ROOT, say } from "./set-up.mjs";

const SLOWEST = "--slowest";
const SLOWEST_COUNT = 50;

/**
 * `launcher`: a program and its arguments that runs another program, in whose place vitest runs. Of the arguments,
 * `--slowest` is ours: it lists the slowest tests and files at the end.
 *
 * @param {{ projects: readonly string[], args: readonly string[], launcher?: readonly string[] }} options
 */
export function runVitest({ projects, args, launcher = [] }) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const report = join(folder, "report.json");
  const [program, ...rest] = [
    ...launcher,
    process.execPath,
    `${ROOT}node_modules/vitest/vitest.mjs`,
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    ...["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`],
    ...args.filter((arg) => arg !== SLOWEST),
  ];
  const slowest = args.includes(SLOWEST);
  try {
    const status = exitStatus(program, rest, { NO_COLOR: "1", FORCE_COLOR: undefined, SIGNALBOX_BUILT: "1" });
    const results = JSON.parse(readFileSync(report, "utf8"));
    if (slowest) for (const line of slowestLines(results)) console.log(line);
    return count(results, status);
  } catch (error) {
    say(`vitest left no report: ${error.message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The slowest files, then the slowest tests, in seconds. */
function slowestLines({ testResults }) {
  const nameOf = (file) => relative(ROOT, file.name);
  const files = testResults.map((file) => ({ ms: file.endTime - file.startTime, name: nameOf(file) }));
  const tests = testResults.flatMap((file) =>
    file.assertionResults.map(({ duration, fullName }) => ({
      ms: duration ?? 0,
      name: `${nameOf(file)}: ${fullName}`,
    })),
  );
  return [...rank("slowest files", files), ...rank("slowest tests", tests)];
}

function rank(heading, entries) {
  const slowest = [...entries].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST_COUNT);
  return ["", heading, ...slowest.map(({ ms, name }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}`)];
}

/** A file that could not be run counts as one failure, and so does anything else that made vitest fail. */
function count(report, status) {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((result) => result.status === "failed"),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return { passed: report.numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
}

/** The last line, and the exit status. */
export function tell({ passed, failed }) {
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
