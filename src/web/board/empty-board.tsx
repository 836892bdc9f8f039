import { useState, type ReactNode } from "react";
import { useClient } from "../../react/hooks.js";
import { Creation } from "../new-session/creation.js";
import { failureWords } from "../parts/failure-words.js";
import { Link, navigate, sessionPath } from "../routing/router.js";
import "./empty-board.css";

const DEMO_PROMPT = "Show me what you can do";

export function EmptyBoard(): ReactNode {
  const client = useClient();
  const [creation] = useState(() => new Creation(client));
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState("");
  const startDemo = async () => {
    setStarting(true);
    setProblem("");
    try {
      const { cwd } = await client.listHarnesses();
      const session = await creation.create({ harness: "demo", prompt: DEMO_PROMPT, cwd: cwd ?? "/" });
      if (session) navigate(sessionPath(session.id));
    } catch (error) {
      setProblem(failureWords(error));
      setStarting(false);
    }
  };
  return (
    <section className="page empty-board">
      <h1>No agents yet</h1>
      <p className="quiet">
        Every agent you start is shown here, with what it is doing and whether it needs you. The demo needs no
        account and no network: it plays an agent at work, with a question and an approval.
      </p>
      <div className="empty-actions">
        <button className="button button-primary" disabled={isStarting} onClick={() => void startDemo()}>
          {isStarting ? "Starting…" : "Start the demo"}
        </button>
        <Link to="/new" className="button">
          New agent
        </Link>
      </div>
      {problem !== "" && (
        <p className="field-flaw" role="alert">
          {problem}
        </p>
      )}
      <p className="quiet">
        Or in a terminal: <code>signalbox run claude &quot;Fix the failing test&quot;</code>
      </p>
    </section>
  );
}
