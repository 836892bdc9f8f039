/** Installs packages of the system, only where we may: as root, on a Debian or what is made from it. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { say } from "./set-up.mjs";

/** Whether that was done. `what` is said before. */
export function aptInstall(packages, what) {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0)
    return false;
  say(`installing ${what}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], { stdio: "inherit", env }).status === 0;
  const wanted = ["install", "--no-install-recommends", ...packages];
  return run(...wanted) || (run("update") && run(...wanted));
}

export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
