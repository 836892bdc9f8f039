/** What walls are made of: bubblewrap, and socat, installed when they are missing and that is permitted. */
import { join } from "node:path";
import { aptInstall, isProgram } from "./apt-install.mjs";

/** Whether the wall's tests can be run. On systems other than Linux there is nothing to install. */
export function hasBubblewrap() {
  if (process.platform !== "linux") return false;
  if (isThere("bwrap") && isThere("socat")) return true;
  aptInstall(["bubblewrap", "socat"], "bubblewrap and socat, for the tests of the wall");
  return isThere("bwrap");
}

function isThere(name) {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/bin"];
  return folders.some((folder) => folder !== "" && isProgram(join(folder, name)));
}
