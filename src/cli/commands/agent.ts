import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";

const AGENT = fileURLToPath(new URL("../../agent/main.js", import.meta.url));

/** The built-in agent by itself: what the daemon runs for the harness `builtin`. */
export const agentCommand: Command = {
  help: `Usage: signalbox agent [options]

Runs the built-in agent by itself: one JSON object per line on stdin and stdout. The daemon does this for every session
of the agent builtin; run it by hand to see what is said, or to build on it:

  echo '{"type":"prompt","messageId":"1","text":"suggest"}' | signalbox agent --model demo

Options:
  --model NAME   provider/model, such as anthropic/claude-sonnet-4-5; or demo, which needs no key
  --resume ID    go on with a conversation
`,
  async run(args) {
    const folder = args.includes("--conversations")
      ? []
      : ["--conversations", join(dataFolder(undefined), "conversations")];
    const child = spawn(process.execPath, [AGENT, ...folder, ...args], { stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  },
};
