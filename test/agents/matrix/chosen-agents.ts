import { AGENT_NAMES, type AgentName } from "../packages.js";

/** What every change is held against: the two with protocols of their own, and one that speaks ACP. */
const USUAL: readonly AgentName[] = ["claude", "codex", "opencode"];

export function chosenAgents(words: string | undefined): readonly AgentName[] {
  if (words === undefined || words === "") return USUAL;
  if (words === "all") return AGENT_NAMES;
  return words.split(",").map((word) => {
    const name = AGENT_NAMES.find((known) => known === word.trim());
    if (name === undefined) throw new Error(`no agent ${word}; there are ${AGENT_NAMES}`);
    return name;
  });
}
