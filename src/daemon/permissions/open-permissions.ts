import { userInfo } from "node:os";
import { join } from "node:path";
import { Permissions } from "../../permissions/permissions.js";
import { baseFolder, homeFolder } from "../../protocol/folder-variables.js";
import type { Log } from "../log/log.js";

type Variables = Readonly<Record<string, string | undefined>>;

export function openPermissions(dataDir: string, variables: Variables, log: Log): Permissions {
  const ofUser = (): string => userInfo().homedir;
  const homeDir = homeFolder(variables, ofUser);
  const configHome = baseFolder(variables, "XDG_CONFIG_HOME", ofUser);
  return new Permissions({
    dataDir,
    homeDir,
    configDir: join(configHome, "signalbox"),
    onProblem: (what, error) => log.warn(`trouble: ${what}`, { error }),
  });
}
