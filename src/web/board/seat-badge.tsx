import { useState, type ReactNode } from "react";
import type { SeatStatus } from "../../core/index.js";
import { useClient } from "../../react/hooks.js";
import { failureWords } from "../parts/failure-words.js";
import "./seat-badge.css";

interface Props {
  readonly sessionId: string;
  readonly title: string;
  readonly status: SeatStatus;
}

/** Who gets messages; where another could, a press makes it so. Where no agent runs there is nothing to show. */
export function SeatBadge({ sessionId, title, status }: Props): ReactNode {
  const client = useClient();
  const [problem, setProblem] = useState("");
  switch (status) {
    case "none":
      return null;
    case "connected":
      return (
        <span className="seat" data-seat="connected" title="Messages that name nobody go to this agent">
          Connected
        </span>
      );
    case "disconnected": {
      const connect = async () => {
        try {
          await client.connect({ sessionId });
          setProblem("");
        } catch (error) {
          setProblem(failureWords(error));
        }
      };
      return (
        <button
          className="seat seat-button"
          data-seat="disconnected"
          title={problem === "" ? "Its agent runs, and does not get messages. Press to connect it" : problem}
          aria-label={`Disconnected: connect ${title}`}
          onClick={() => void connect()}
        >
          Disconnected
        </button>
      );
    }
  }
}
