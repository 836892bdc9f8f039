import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { useClient, useConnection, useSessions } from "../../react/hooks.js";
import { placesFrom, type Known, type PlaceOf } from "./place-of.js";

const NOTHING: Known = { projects: [], workspaces: [] };
const DELAY_MS = 200;
const REPEAT_MS = 30_000;

const Places = createContext<PlaceOf>(placesFrom(NOTHING));

export function usePlaces(): PlaceOf {
  return useContext(Places);
}

/** Reads them once for the whole page, and again when a session names a workspace that is not known. */
export function PlacesProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useClient();
  const { type } = useConnection();
  const [known, setKnown] = useState(NOTHING);
  const unknown = useUnknownWorkspaces(known);
  const hasWorkspaces = known.workspaces.length > 0;
  useEffect(() => {
    if (type !== "live") return undefined;
    let isOver = false;
    const read = async () => {
      try {
        const [projects, workspaces] = await Promise.all([client.listProjects(), client.listWorkspaces()]);
        if (!isOver) setKnown({ projects: projects.items, workspaces: workspaces.items });
      } catch {
        // Folders have names too: sessions are shown under those.
      }
    };
    const first = setTimeout(() => void read(), DELAY_MS);
    const repeat = hasWorkspaces ? setInterval(() => void read(), REPEAT_MS) : undefined;
    return () => {
      isOver = true;
      clearTimeout(first);
      clearInterval(repeat);
    };
  }, [client, type, unknown, hasWorkspaces]);
  const placeOf = useMemo(() => placesFrom(known), [known]);
  return <Places value={placeOf}>{children}</Places>;
}

function useUnknownWorkspaces({ workspaces }: Known): string {
  const sessions = useSessions();
  return useMemo(() => {
    const ids = new Set(workspaces.map(({ id }) => id));
    return (sessions ?? [])
      .flatMap(({ workspaceId }) => (workspaceId === undefined || ids.has(workspaceId) ? [] : [workspaceId]))
      .join("\n");
  }, [sessions, workspaces]);
}
