import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
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
import { Dialog } from "./parts/dialog.js";
import { ErrorBoundary } from "./parts/error-boundary.js";
import { useMedia, WIDE } from "./parts/use-media.js";
import { PlacesProvider } from "./places/places.js";
import { Link, routeOf, usePath, viewOf, type Route } from "./routing/router.js";
import { SessionPage } from "./session/session-page.js";
import { Sidebar, SideKeys, useSide } from "./sidebar/sidebar.js";

/** Not everybody races. */
const RacePage = lazy(() => import("./race/race-page.js").then((module) => ({ default: module.RacePage })));
const RacesPage = lazy(() =>
  import("./race/races-page.js").then((module) => ({ default: module.RacesPage })),
);

const LOADING = <p className="quiet page">Loading…</p>;

export function App(): ReactNode {
  const path = usePath();
  const connection = useConnection();
  const view = viewOf(path);
  const main = useFocusOnChange(view);
  useEffect(listenToKeys, []);
  if (connection.type === "signed_out") return <SignedOut />;
  return (
    <PlacesProvider>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="app">
        <Side path={path} />
        <div className="app-view">
          <ConnectionBanner />
          <ErrorBoundary region="state of the daemon">
            <HealthBanner />
          </ErrorBoundary>
          <ErrorBoundary region="notifications">
            <Attention />
          </ErrorBoundary>
          <main id="main" ref={main} tabIndex={-1}>
            <ErrorBoundary key={view} region="page">
              <View route={routeOf(path)} />
            </ErrorBoundary>
          </main>
        </div>
      </div>
    </PlacesProvider>
  );
}

/** The header and the sessions: beside the page where there is room, else above it and in a drawer. */
function Side({ path }: { readonly path: string }): ReactNode {
  const isWide = useMedia(WIDE);
  const side = useSide(path);
  const [openAt, setOpenAt] = useState<string | null>(null);
  return (
    <div className="side">
      <ErrorBoundary region="header">
        <Header path={path} onSessions={isWide ? null : () => setOpenAt(path)} />
      </ErrorBoundary>
      <SideKeys side={side} />
      <ErrorBoundary region="list of sessions">
        {isWide && <Sidebar side={side} />}
        {/* Whoever goes to another view has found it. */}
        {!isWide && openAt === path && (
          <Dialog title="Sessions" isDrawer onClose={() => setOpenAt(null)}>
            <Sidebar side={side} isDrawer />
          </Dialog>
        )}
      </ErrorBoundary>
    </div>
  );
}

function View({ route }: { readonly route: Route }): ReactNode {
  switch (route.type) {
    case "board":
      return <BoardPage />;
    case "session":
      return <SessionPage key={route.id} id={route.id} tab={route.tab} />;
    case "inbox":
      return <InboxPage />;
    case "new":
      return <NewSessionPage />;
    case "races":
      return (
        <Suspense fallback={LOADING}>
          <RacesPage />
        </Suspense>
      );
    case "race":
      return (
        <Suspense fallback={LOADING}>
          <RacePage key={route.id} id={route.id} />
        </Suspense>
      );
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
function useFocusOnChange(view: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    const isTakenInside =
      main.current !== document.activeElement && main.current?.contains(document.activeElement);
    // A view that opens with a question has put the focus where it is answered.
    if (isTakenInside !== true) main.current?.focus({ preventScroll: true });
  }, [view]);
  return main;
}
