import type { ReactNode } from "react";
import { useAgentSession } from "../../react/hooks.js";

export function ExplainPanel({ id }: { readonly id: string }): ReactNode {
  const { status } = useAgentSession(id);
  return <p className="quiet">{status}</p>;
}
