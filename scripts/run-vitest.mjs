/** Runs vitest, and tells how many tests passed and failed. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { exitStatusBeside, ROOT, say } from "./set-up.mjs";

const SLOWEST = "--slowest";
const SLOWEST_COUNT = 50;

/**
 * `lanes` run beside each other, each a vitest of its own with its projects: one that computes, and yields the processor,
 * beside one that mostly waits for other processes. `launcher`: a program and its arguments that runs another program, in
 * whose place vitest runs. Of the arguments, `--slowest` is ours: it lists the slowest tests and files at the end.
 *
 * @param {{ lanes: readonly { projects: readonly string[], priority?: number }[], args: readonly string[], launcher?: readonly string[] }} options
 */
export async function runVitest({ lanes, args, launcher = [] }) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  try {
    const ended = await Promise.all(
      lanes.map(({ projects, priority = 0 }, index) =>
        runLane({ projects, args, launcher, priority, report: join(folder, `report-${index}.json`) }),
      ),
    );
    const files = ended.flatMap(({ results }) => results?.testResults ?? []);
    if (args.includes(SLOWEST)) for (const line of slowestLines(files)) console.log(line);
    if (files.length === 0) say("there is no such test");
    return files.length === 0 ? { passed: 0, failed: 1 } : sum(ended.map(count));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `results`: null when vitest left no report. */
async function runLane({ projects, args, launcher, priority, report }) {
  const [program, ...rest] = [
    ...launcher,
    process.execPath,
    `${ROOT}node_modules/vitest/vitest.mjs`,
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    ...["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`],
    // What was asked for may be in another lane.
    "--passWithNoTests",
    ...args.filter((arg) => arg !== SLOWEST),
  ];
  const env = { NO_COLOR: "1", FORCE_COLOR: undefined, SIGNALBOX_BUILT: "1" };
  const status = await exitStatusBeside(program, rest, { env, priority });
  try {
    return { status, results: JSON.parse(readFileSync(report, "utf8")) };
  } catch (error) {
    say(`vitest left no report: ${error.message}`);
    return { status, results: null };
  }
}

/** The slowest files, then the slowest tests, in seconds. */
function slowestLines(testResults) {
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
function count({ results, status }) {
  if (results === null) return { passed: 0, failed: 1 };
  const brokenFiles = results.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((result) => result.status === "failed"),
  );
  const failed = results.numFailedTests + brokenFiles.length;
  return { passed: results.numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
}

function sum(counts) {
  const total = (name) => counts.reduce((all, each) => all + each[name], 0);
  return { passed: total("passed"), failed: total("failed") };
}

/** The last line, and the exit status. */
export function tell({ passed, failed }) {
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
