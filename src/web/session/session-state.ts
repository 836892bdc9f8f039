import { useEffect, useState } from "react";
import type { SessionState } from "../../core/index.js";
import { useClient } from "../../react/hooks.js";
import type { AgentSession } from "../../react/agent-session.js";

const DELAY_MS = 250;
/** Some of it changes without a state event: how much goes on in the background, when the agent tries again. */
const REPEAT_MS = 4_000;

/** The machine's state, for what no summary has: null until it is there. Status is not taken from it. */
export function useSessionState({ id, position }: AgentSession): SessionState | null {
  const client = useClient();
  const [state, setState] = useState<SessionState | null>(null);
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      try {
        const detail = await client.getSession(id);
        if (!isOver) setState(detail.state);
      } catch {
        // The daemon is away, which the page says elsewhere; it is read again.
      }
    };
    const first = setTimeout(() => void read(), DELAY_MS);
    // Also at rest: what goes on in the background ends by itself.
    const repeat = setInterval(() => void read(), REPEAT_MS);
    return () => {
      isOver = true;
      clearTimeout(first);
      clearInterval(repeat);
    };
  }, [client, id, position]);
  return state;
}
