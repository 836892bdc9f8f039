/** `npm run docs` writes `docs/machines` from the tables; with `--check` it only says which files are stale. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { staleMachineDocs, writeMachineDocs } from "./machine-docs.js";

// Seen from `dist/test/docs`, where this is run.
const FOLDER = fileURLToPath(new URL("../../../docs/machines/", import.meta.url));

const unknown = process.argv.slice(2).filter((arg) => arg !== "--check");
if (unknown.length > 0) {
  console.error(`unknown argument ${unknown.join(" ")}; the only one is --check`);
  process.exitCode = 2;
} else if (process.argv.includes("--check")) {
  check();
} else {
  writeMachineDocs(FOLDER);
}

function check(): void {
  const stale = staleMachineDocs(FOLDER);
  if (stale.length === 0) return;
  for (const file of stale) console.error(`stale: ${relative(process.cwd(), FOLDER + file)}`);
  console.error("The tables say something else. Write the documents anew with: npm run docs");
  process.exitCode = 1;
}
