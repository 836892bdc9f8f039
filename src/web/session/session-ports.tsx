import { useEffect, useState, type ReactNode } from "react";
import type { PortLink } from "../../protocol/wall-state.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";

const AGAIN_MS = 10_000;

/** What programs of a session serve behind its wall; looked for while somebody looks at it. */
export function usePorts({ id, wall, status }: AgentSession): readonly PortLink[] {
  const client = useClient();
  const [ports, setPorts] = useState<readonly PortLink[]>([]);
  const isListed = wall?.network === "listed";
  useEffect(() => {
    if (!isListed) return undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const { items } = await client.listPorts(id);
        if (!isOver) setPorts(items);
      } catch {
        // Whoever may not reach them is shown none; otherwise it is looked again.
        if (!isOver) setPorts([]);
      }
    };
    void look();
    const timer = setInterval(() => void look(), AGAIN_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [client, id, isListed, status]);
  return isListed ? ports : [];
}

/** The addresses are of the machine on which the daemon runs. */
export function PortLinks({ ports }: { readonly ports: readonly PortLink[] }): ReactNode {
  return (
    <>
      {ports.map(({ port, url }) => (
        <a key={port} className="mono" href={url} target="_blank" rel="noreferrer noopener" title={url}>
          {`${port} `}
        </a>
      ))}
    </>
  );
}
