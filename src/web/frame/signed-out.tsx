import type { ReactNode } from "react";
import { useStore } from "../../react/signalbox-provider.js";
import { Mark } from "./mark.js";
import "./signed-out.css";

export function SignedOut(): ReactNode {
  const store = useStore();
  return (
    <main className="signed-out">
      <Mark />
      <h1>Not signed in</h1>
      <p>
        Run <code>signalbox open</code> on the machine where Signalbox runs. It opens this page and signs this
        browser in. From a clone: <code>npx signalbox open</code>.
      </p>
      <button className="button" onClick={() => store.reconnect()}>
        Try again
      </button>
    </main>
  );
}
