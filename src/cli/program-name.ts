import { basename, relative } from "node:path";

/** How this very program is called here: `signalbox` where it is installed, in a clone by its path. */
export function programName(script = process.argv[1] ?? "signalbox", cwd = process.cwd()): string {
  return basename(script) === "signalbox" ? "signalbox" : `node ${relative(cwd, script)}`;
}
