import { useEffect, useRef, type ReactNode } from "react";
import { useConnection } from "../react/hooks.js";
import { InboxPage } from "./asks/inbox-page.js";
import { Attention } from "./attention/attention.js";
import { BoardPage } from "./board/board-page.js";
import { ConnectionBanner } from "./frame/connection-banner.js";
import { HealthBanner } from "./frame/health-banner.js";
import { Header } from "./frame/header.js";
import { SignedOut } from "./frame/signed-out.js";
import { listenToKeys } from "./keys/shortcuts.js";
import { NewSessionPage } from "./new-session/new-session-page.js";
import { ErrorBoundary } from "./parts/error-boundary.js";
import { Link, routeOf, usePath, type Route } from "./routing/router.js";
import { SessionPage } from "./session/session-page.js";

export function App(): ReactNode {
  const path = usePath();
  const connection = useConnection();
  const main = useFocusOnChange(path);
  useEffect(listenToKeys, []);
  if (connection.type === "signed_out") return <SignedOut />;
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <ErrorBoundary region="header">
        <Header path={path} />
      </ErrorBoundary>
      <ConnectionBanner />
      <ErrorBoundary region="state of the daemon">
        <HealthBanner />
      </ErrorBoundary>
      <ErrorBoundary region="notifications">
        <Attention />
      </ErrorBoundary>
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={path} region="page">
          <View route={routeOf(path)} />
        </ErrorBoundary>
      </main>
    </>
  );
}

function View({ route }: { readonly route: Route }): ReactNode {
  switch (route.type) {
    case "board":
      return <BoardPage />;
    case "session":
      return <SessionPage key={route.id} id={route.id} />;
    case "inbox":
      return <InboxPage />;
    case "new":
      return <NewSessionPage />;
    case "unknown":
      return (
        <section className="page">
          <h1>This page does not exist</h1>
          <p>
            <Link to="/">Back to the board</Link>
          </p>
        </section>
      );
  }
}

/** Who goes to another view by keyboard or ear goes on from there; the first view leaves the focus alone. */
function useFocusOnChange(path: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const isTakenInside =
      main.current !== document.activeElement && main.current?.contains(document.activeElement);
    // A view that opens with a question has put the focus where it is answered.
    if (isTakenInside !== true) main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
