import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setVariable } from "./data-folder.js";

/** Runs a command in the person's shell and terminal, and gives its exit status as a shell would. */
export async function runInShell(command: string): Promise<number> {
  const shell = setVariable(process.env, "SHELL") ?? "/bin/sh";
  // Ctrl-C is for the command.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  try {
    const child = spawn(shell, ["-c", command], { stdio: "inherit" });
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    process.off("SIGINT", ignore);
  }
}
