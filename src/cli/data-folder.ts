import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { baseFolder } from "../protocol/folder-variables.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";

/** Where the daemon keeps everything: `--data-dir`, else as the environment says, else under the home folder. */
export function dataFolder(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const named = option ?? setVariable(env, "SIGNALBOX_DATA_DIR");
  if (named !== undefined) return resolve(named);
  return join(
    baseFolder(env, "XDG_STATE_HOME", () => userInfo().homedir),
    "signalbox",
  );
}

/** Whatever the system says of it: nobody can do anything there. */
export function unusableFolder(dataDir: string, error: unknown): CommandFailure {
  return new CommandFailure(
    `the data folder ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    "Name another one with --data-dir or SIGNALBOX_DATA_DIR, or make it yours.",
    EXIT.unavailable,
  );
}

/** An empty variable counts as none. */
export function setVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === "" ? undefined : env[name];
}
