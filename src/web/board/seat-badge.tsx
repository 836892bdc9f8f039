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

/** A small mark on the one that gets messages without an address. Another shows a way to connect it under the pointer. */
export function SeatBadge({ sessionId, title, status }: Props): ReactNode {
  const client = useClient();
  const [problem, setProblem] = useState("");
  switch (status) {
    case "none":
      return null;
    case "connected":
      return (
        <span className="seat" data-seat="connected" title="Messages without an address go to this agent">
          <span className="visually-hidden">Connected</span>
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
          title={problem === "" ? "Send messages without an address to this agent" : problem}
          aria-label={`Connect ${title}`}
          onClick={() => void connect()}
        >
          Connect
        </button>
      );
    }
  }
}
