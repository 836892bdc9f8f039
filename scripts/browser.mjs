/** The browser of the browser tests: Debian's Chromium, installed when it is missing and that is permitted. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { say } from "./set-up.mjs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of a browser, or null after saying what is left out without one. */
export function findBrowser() {
  const chosen = process.env["SIGNALBOX_BROWSER"];
  const found = [...(chosen === undefined ? [] : [chosen]), ...PLACES].find(isProgram);
  if (found !== undefined) return found;
  if (!install())
    say("there is no Chromium here: the browser tests are left out. SIGNALBOX_BROWSER may name one.");
  return PLACES.find(isProgram) ?? null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Only where we may, and where the system has a package of it. */
function install() {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0)
    return false;
  say("installing Chromium, for the browser tests");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], { stdio: "inherit", env }).status === 0;
  const wanted = ["install", "--no-install-recommends", "chromium"];
  return run(...wanted) || (run("update") && run(...wanted));
}
