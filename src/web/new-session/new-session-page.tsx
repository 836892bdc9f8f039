import type { ReactNode } from "react";

export function NewSessionPage(): ReactNode {
  return (
    <section className="page page-narrow">
      <h1>New Agent</h1>
    </section>
  );
}
