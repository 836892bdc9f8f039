/** The browser of the browser tests: Debian's Chromium, installed when it is missing and that is permitted. */
import { aptInstall, isProgram } from "./apt-install.mjs";
import { say } from "./set-up.mjs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of a browser, or null after saying what is left out without one. */
export function findBrowser() {
  const chosen = process.env["SIGNALBOX_BROWSER"];
  const found = [...(chosen === undefined ? [] : [chosen]), ...PLACES].find(isProgram);
  if (found !== undefined) return found;
  if (!aptInstall(["chromium"], "Chromium, for the browser tests"))
    say("there is no Chromium here: the browser tests are left out. SIGNALBOX_BROWSER may name one.");
  return PLACES.find(isProgram) ?? null;
}
