import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Permissions } from "../../permissions/permissions.js";
import type { Log } from "../log/log.js";

type Variables = Readonly<Record<string, string | undefined>>;

export function openPermissions(dataDir: string, variables: Variables, log: Log): Permissions {
  const homeDir = folderIn(variables, "HOME") ?? homedir();
  const configHome = folderIn(variables, "XDG_CONFIG_HOME") ?? join(homeDir, ".config");
  return new Permissions({
    dataDir,
    homeDir,
    configDir: join(configHome, "signalbox"),
    onProblem: (what, error) => log.warn(`trouble: ${what}`, { error }),
  });
}

/** A path that is not absolute counts as none, as the XDG specification says. */
function folderIn(variables: Variables, name: string): string | null {
  const path = variables[name];
  return path !== undefined && isAbsolute(path) ? path : null;
}
