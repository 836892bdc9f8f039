import { useEffect, useState, type ReactNode } from "react";
import type { CallResult } from "../../client/client.js";
import { useClient, useConnection } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { NewSessionForm } from "./new-session-form.js";
import "./new-session-page.css";

type Harnesses = CallResult<"listHarnesses">;

export function NewSessionPage(): ReactNode {
  const client = useClient();
  const [harnesses, setHarnesses] = useState<Harnesses | null>(null);
  const [problem, setProblem] = useState("");
  const isLive = useConnection().type === "live";
  const isKnown = harnesses !== null;
  useEffect(() => {
    if (isKnown) return undefined;
    let isGone = false;
    client.listHarnesses().then(
      (found) => {
        if (isGone) return;
        setHarnesses(found);
        setProblem("");
      },
      (error: unknown) => isGone || setProblem(readFailureWords(error)),
    );
    return () => {
      isGone = true;
    };
    // Asked again when the daemon is back.
  }, [client, isLive, isKnown]);
  return (
    <section className="page page-narrow">
      <h1>New agent</h1>
      {problem !== "" && (
        <p className="field-flaw" role="alert">
          {problem}
        </p>
      )}
      {harnesses === null && problem === "" && <p className="quiet">Checking which agents are installed…</p>}
      {harnesses !== null && <NewSessionForm harnesses={harnesses.items} cwd={harnesses.cwd ?? ""} />}
    </section>
  );
}
