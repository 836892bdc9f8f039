/** `signalbox mcp`: lets another agent start, watch and message agents. */
import { readFile } from "node:fs/promises";
import { SESSION_VARIABLE } from "../../protocol/session-variable.js";
import { OWN_SESSION } from "../../protocol/agent-socket.js";
import { agentSocketFor, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { setVariable } from "../data-folder.js";
import { parseOptions } from "../parse-options.js";
import { print } from "../print.js";
import { takeWords } from "../take-words.js";
import { packageVersion } from "../package-version.js";

const SKILL = new URL("../../../../skills/signalbox/SKILL.md", import.meta.url);

export const mcpCommand: Command = {
  help: `Usage: signalbox mcp [options]

An MCP server on stdin and stdout, for agents: list_sessions, start_session, read_session, send_message,
wait_for_session, stop_session, start_race, read_race, read_changes, and for the agent's own workspace read_workspace
and finish_workspace, which only suggests it. The rules decide about each as Mcp(signalbox/NAME). Where they would have
a person asked, the call is refused and says which rule permits it, unless the agent runs in Signalbox and has asked
already. Nobody can approve, choose, finish or discard through it.
Behind a wall it reaches the daemon by the agent's own socket, sees the sessions of the agent's project, and starts
others only in the agent's folder. Add it to Claude Code with:

  claude mcp add signalbox -- signalbox mcp

Options:
  --print-skill    print a skill that teaches an agent the command line, and end
  --data-dir DIR   the daemon's data folder
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("mcp", args, {
    "data-dir": { type: "string" },
    "print-skill": { type: "boolean" },
  });
  takeWords("mcp", positionals, []);
  if (values["print-skill"]) {
    await print(await readFile(SKILL, "utf8"));
    return EXIT.ok;
  }
  const named = setVariable(process.env, SESSION_VARIABLE) ?? null;
  const client = await openClient(values, named === null ? "mcp" : `agent:${named}`);
  // Behind a wall the daemon knows whose agent it is.
  const sessionId = agentSocketFor(values) === null ? named : OWN_SESSION;
  const { serveMcp } = await import("../mcp/serve-mcp.js");
  await serveMcp(client, { sessionId, cwd: process.cwd() }, packageVersion());
  return EXIT.ok;
}
