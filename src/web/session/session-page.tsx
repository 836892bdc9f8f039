import { lazy, Suspense, type ReactNode } from "react";
import { useAgentSession } from "../../react/hooks.js";
import { ExplainPanel } from "../explain/explain-panel.js";

const TerminalView = lazy(() =>
  import("../terminal/terminal-view.js").then((module) => ({ default: module.TerminalView })),
);

export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const { session } = useAgentSession(id);
  return (
    <section className="page">
      <h1 tabIndex={-1}>{session?.title ?? "No such session"}</h1>
      <ExplainPanel id={id} />
      {session?.harness === "terminal" && (
        <Suspense fallback={<p className="quiet">Loading the terminal…</p>}>
          <TerminalView id={id} />
        </Suspense>
      )}
    </section>
  );
}
