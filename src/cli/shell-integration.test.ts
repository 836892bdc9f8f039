import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { integrationFor, programWords, SHELLS } from "./shell-integration.js";

test("the shell calls us as we were called", () => {
  expect(programWords("/bin/node", "/usr/bin/signalbox")).toEqual(["command", "signalbox"]);
  expect(programWords("/bin/node", "/src/dist/main.js")).toEqual(["/bin/node", "/src/dist/main.js"]);
});

test("paths with any characters stay one word", () => {
  const words = ["/bin/node", "/it's a $HOME/`x`/main.js"];
  for (const shell of SHELLS) {
    const call = /(\S*\/bin\/node .*) ask --inline/.exec(integrationFor(shell, words))?.[1] ?? "";
    const quoted = call.replace(/^.*?(?=\/bin\/node )/, "").slice("/bin/node ".length);
    if (shell === "fish") expect(quoted).toBe("'/it\\'s a $HOME/`x`/main.js'");
    else expect(execFileSync("bash", ["-c", `printf %s ${quoted}`]).toString()).toBe(words[1]);
  }
});

test("what bash is given is valid", () => {
  execFileSync("bash", ["-n"], { input: integrationFor("bash", ["command", "signalbox"]) });
});
