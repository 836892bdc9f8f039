#!/usr/bin/env node
/** The daemon as a program of its own: says on stdout, as lines of JSON, where it is, or why it is not. */
import { readFileSync } from "node:fs";
import {
  OPEN_FILES_MIN,
  TOO_FEW_FILES,
  tooFewFiles,
  type DaemonProgram,
  type FailedStart,
  type StartLine,
} from "../protocol/daemon-program.js";
import { openFilesIn } from "../protocol/open-files.js";

const EXIT_FAILURE = 70;

function say(line: StartLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function sayFailed(failed: FailedStart): void {
  say({ failed });
  process.stderr.write(`signalbox daemon: ${failed.message}\n${failed.hint}\n`);
}

/** Null: the system does not say. */
function openFilesMax(): number | null {
  try {
    return openFilesIn(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return null;
  }
}

/** Loading opens many files at once, and is the first to fail where few may be open. */
async function load(): Promise<DaemonProgram> {
  if ((openFilesMax() ?? Infinity) < OPEN_FILES_MIN) failFor(TOO_FEW_FILES);
  try {
    return await import("./run-daemon.js");
  } catch (error) {
    const failed = tooFewFiles(String(error));
    if (failed === null) throw error;
    failFor(failed);
  }
}

function failFor(failed: FailedStart): never {
  sayFailed(failed);
  process.exit(EXIT_FAILURE);
}

const { runDaemon } = await load();
await runDaemon(process.argv.slice(2), {
  ready: (ready) => {
    say(ready);
    return Promise.resolve();
  },
  failed: sayFailed,
  waiting: (waiting) => say({ waiting }),
});
