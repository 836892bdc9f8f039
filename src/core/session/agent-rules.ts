/** Agents that come and go in a terminal, and whether what they show is understood. */
import { ignored } from "../step.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";
import { isUnknown } from "./state.js";
import type { Change } from "./change.js";

export const shellReady = rule<EventOf<"shell_ready">>(
  ["idle"],
  "a shell is there, and no agent in it",
  (change) => {
    change.moveTo("idle");
    return undefined;
  },
);

export const shellReadyAgain = rule<EventOf<"shell_ready">>(
  ["idle", "same"],
  "a run that was just spawned again is a shell; only `agent_ended` ends an agent",
  (change) => {
    const { agent, readyTimer } = change.state;
    if (agent !== null || readyTimer === null) return ignored(change.state, "an agent is there");
    change.moveTo("idle");
    return undefined;
  },
);

export const agentStarted = rule<EventOf<"agent_started">>(
  ["streaming", "same"],
  "not understood yet, and not waited for; another agent's line is returned first",
  (change, event) => {
    const { name, start, sinceMs } = event;
    const { agent } = change.state;
    change.join();
    if (agent?.start === start) {
      if (agent.name === name) return ignored(change.state, "that agent is known");
      change.set("agent", { name, start });
      return undefined;
    }
    if (agent !== null) change.endAgent();
    change.beginAgent({ name, start }, sinceMs ?? null);
    return undefined;
  },
);

export const firstAgentStarted: typeof agentStarted = {
  ...agentStarted,
  to: ["streaming"],
  note: "not understood yet, and not waited for",
};

export const agentEnded = rule<EventOf<"agent_ended">>(
  ["idle", "same"],
  "a shell again: asks voided, the line returned; ignored for another agent than the one in front",
  (change, event) => {
    if (change.state.agent?.start !== event.start) return ignored(change.state, "another agent");
    change.endAgent();
    return undefined;
  },
);

function learn(change: Change, event: EventOf<"certainty_changed">): void {
  if (event.certainty === "known") return change.understand();
  if (isUnknown(change.state) && change.state.unknownSinceMs !== null) return;
  change.set("certainty", "unknown");
  change.set("unknownSinceMs", event.sinceMs);
}

export const noteCertainty = rule<EventOf<"certainty_changed">>(
  ["same"],
  "whether what the agent shows is understood",
  (change, event) => {
    learn(change, event);
    return undefined;
  },
);

export const learnWhileStreaming = rule<EventOf<"certainty_changed">>(
  ["same", "waiting_input"],
  "once understood, a run that was to go on does; a question it has begun comes first",
  (change, event) => {
    learn(change, event);
    change.proceedWhenReady();
    return undefined;
  },
);

export const learnWhileCompleted = rule<EventOf<"certainty_changed">>(
  ["same", "streaming", "waiting_input"],
  "once understood, what is queued goes next; a question it has begun comes first",
  (change, event) => {
    learn(change, event);
    if (change.state.queue.length > 0) change.proceed("message");
    return undefined;
  },
);

export const screenStill = rule<EventOf<"screen_still">>(
  ["same"],
  "a person is told, once, that nobody understands what is shown",
  (change) => {
    if (!isUnknown(change.state)) return ignored(change.state, "the screen is understood");
    if (change.state.unknownNotified) return ignored(change.state, "a person was told");
    change.set("unknownNotified", true);
    change.act({ type: "notify", reason: "unknown_screen" });
    return undefined;
  },
);
