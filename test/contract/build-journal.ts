import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const COMMIT_LOOP = `${ROOT}dist/test/contract/commit-loop.js`;

/** Builds what is not up to date: a thread, or a process of its own, runs compiled code. `npm test` has done that before. */
export function buildJournal(): void {
  if (process.env["SIGNALBOX_BUILT"] === "1") return;
  execFileSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, "-b", `${ROOT}test`], {
    stdio: "inherit",
  });
}
