import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import type { Client } from "../client/client.js";
import { SignalboxStore } from "./store.js";

const StoreContext = createContext<SignalboxStore | null>(null);

export interface SignalboxProviderProps {
  /** Of `signalbox/client`. Must stay the same object. */
  readonly client: Client;
  readonly children?: ReactNode;
}

/** Connects everything below it with a daemon: one stream of events, however many components look at it. */
export function SignalboxProvider({ client, children }: SignalboxProviderProps): ReactNode {
  const store = useMemo(() => new SignalboxStore(client), [client]);
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  return <StoreContext value={store}>{children}</StoreContext>;
}

/** For what no hook of this package does. */
export function useStore(): SignalboxStore {
  const store = useContext(StoreContext);
  if (!store) throw new Error("there is no <SignalboxProvider> above");
  return store;
}
