import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { KEEPER_FOLDER_VARIABLE } from "../../protocol/keeper-format.js";
import { keeperLogPath } from "../../keeper/paths.js";

/** Agents get the environment of their request, not the keeper's. What is secret, or changes how Node runs, stays here. */
const WITHHELD = /^SIGNALBOX_|^NODE_OPTIONS$|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY/i;

/** Small: the keeper has little that lives short, and many idle runs. */
const NODE_FLAGS = ["--max-semi-space-size=1"];

/** A program that was started, and may have ended again. */
export interface Started {
  /** Why it ended, or null. Exit 0 is no failure: there was another one. */
  readonly end: { readonly ok: boolean; readonly why: string } | null;
}

/** Starts a keeper that outlives us. */
export function startKeeper(dataDir: string, entry: string, args: readonly string[]): Started {
  const env = { [KEEPER_FOLDER_VARIABLE]: dataDir };
  return startDetached({ entry, args, logPath: keeperLogPath(dataDir), env });
}

export interface DetachedProgram {
  readonly entry: string;
  readonly args: readonly string[];
  /** Begun anew. */
  readonly logPath: string;
  /** Beside ours. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program of ours that outlives us. */
export function startDetached({ entry, args, logPath, env }: DetachedProgram): Started {
  const started: { end: Started["end"] } = { end: null };
  const log = openSync(logPath, "w", 0o600);
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, entry, ...args], {
      cwd: "/",
      detached: true,
      stdio: ["ignore", log, log],
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name))),
        ...env,
      },
    });
    child.once("error", (error) => (started.end = { ok: false, why: error.message }));
    child.once("exit", (code, signal) => {
      started.end = { ok: code === 0, why: `it ended with ${signal ?? code ?? "nothing"}` };
    });
    child.unref();
  } finally {
    closeSync(log);
  }
  return started;
}
