import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { baseFolder } from "../protocol/folder-variables.js";

/** Whether the terminal rings when an agent asks for something: `bell` in `[notify]` of the person's `config.toml`. */
export async function wantsBell(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const home = baseFolder(env, "XDG_CONFIG_HOME", () => userInfo().homedir);
  const text = await readFile(join(home, "signalbox", "config.toml"), "utf8").catch(() => null);
  if (text === null) return true;
  const { parse } = await import("smol-toml");
  const { notifyConfigSchema } = await import("../protocol/notify-config.js");
  try {
    return notifyConfigSchema.safeParse(parse(text)["notify"] ?? {}).data?.bell ?? true;
  } catch {
    // What is wrong with the file is said by the daemon, which does not start with it.
    return true;
  }
}
