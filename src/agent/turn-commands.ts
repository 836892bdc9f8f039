/** What a person wants beside the conversation, as requests to the turn machine; and why one was refused. */
import type { TurnEvent } from "../core/index.js";
import type { AgentCommand, FromAgent } from "../protocol/agent-wire.js";

export function requestFor(command: AgentCommand): TurnEvent {
  switch (command.command) {
    case "execute":
      return { type: "execute_command" };
    case "insert":
      return { type: "insert_command" };
    case "interrupt_tools":
      return { type: "interrupt_tools" };
    case "new":
      return { type: "new_session" };
    case "slash":
      // Its answer is what the agent knows: skills and models are not the machine's.
      return { type: "slash_command", command: command.name, content: command.arguments ?? "" };
    case "skill": {
      const given = command.arguments === undefined ? {} : { arguments: command.arguments };
      return { type: "request_skill_load", name: command.name, ...given };
    }
  }
}

const REFUSALS: Readonly<Partial<Record<TurnEvent["type"], readonly [command: string, why: string]>>> = {
  execute_command: ["execute", "There is nothing to run while the agent works, or after it failed."],
  insert_command: ["insert", "There is nothing to insert while the agent works, or after it failed."],
  interrupt_tools: ["interrupt_tools", "No tool is running."],
  new_session: ["new", "A new conversation cannot begin while the agent works, or after it failed."],
};

/** Null for what nobody waits for. */
export function refusalOf(event: TurnEvent): Extract<FromAgent, { readonly type: "refused" }> | null {
  const refusal = REFUSALS[event.type];
  return refusal ? { type: "refused", command: refusal[0], message: refusal[1] } : null;
}
