import { useStore } from "../../react/signalbox-provider.js";
import { navigate, sessionPath } from "../routing/router.js";
import { nextNeeding } from "./groups.js";

/** Leads to the next session that needs a person, if there is another; looked for when it is wanted. */
export function useNextNeeding(fromId: string | null): () => void {
  const store = useStore();
  return () => {
    const next = nextNeeding(store.sessions() ?? [], fromId);
    if (next !== null) navigate(sessionPath(next));
  };
}
