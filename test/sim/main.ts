/** `npm run sim -- --seeds N` runs the seeds 1 to N; `--seed S` only that one, as often as one needs to understand it. */
import { parseArgs } from "node:util";
import { describeFailure, runSeeds } from "./run-seeds.js";

const { values } = parseArgs({ options: { seeds: { type: "string" }, seed: { type: "string" } } });
const first = Number(values.seed ?? 1);
const seeds = Number(values.seeds ?? (values.seed === undefined ? 200 : 1));

const startedAtMs = performance.now();
const report = await runSeeds(first, seeds);
for (const failure of report.failures) console.error(describeFailure(failure));
console.log(
  `${report.seeds} seeds in ${Math.round(performance.now() - startedAtMs)} ms; ${report.counts.toString()}`,
);
if (report.failures.length > 0) {
  console.error(`failed: ${report.failures.map(({ seed }) => seed).join(" ")}`);
  process.exitCode = 1;
}
