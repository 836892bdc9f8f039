/** The programs as they are built: `dist/programs`, one file each, unless the compiler has run since; then `dist/src`. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Seen from the source, or from where this was built to. */
const DIST = fileURLToPath(
  new URL(import.meta.url.includes("/dist/test/") ? "../" : "../dist/", import.meta.url),
);

/** `name`: as below `src`, but built: `daemon/main.js`. Never of earlier sources than what the compiler has built last. */
export function builtProgram(name: string): string {
  return join(DIST, isBundled() ? "programs" : "src", name);
}

function isBundled(): boolean {
  const builtAtMs = changedAtMs(join(DIST, "programs/built"));
  return readdirSync(join(DIST, "src")).every(
    (folder) => changedAtMs(join(DIST, "src", folder, ".tsbuildinfo")) < builtAtMs,
  );
}

function changedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
