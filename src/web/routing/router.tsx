/** Which view the address names. Everything else is not here. */
import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from "react";

export const SESSION_TABS = ["thread", "changes", "terminal", "why"] as const;
export type SessionTab = (typeof SESSION_TABS)[number];

export type Route =
  | { readonly type: "board" }
  /** Without a tab: whichever the session is opened with. */
  | { readonly type: "session"; readonly id: string; readonly tab: SessionTab | null }
  | { readonly type: "inbox" }
  | { readonly type: "new" }
  | { readonly type: "races" }
  | { readonly type: "race"; readonly id: string }
  | { readonly type: "unknown" };

export function routeOf(path: string): Route {
  if (path === "/") return { type: "board" };
  if (path === "/inbox") return { type: "inbox" };
  if (path === "/new") return { type: "new" };
  if (path === "/races") return { type: "races" };
  const race = /^\/races\/([^/]+)$/.exec(path)?.[1];
  const raceId = race === undefined ? null : decode(race);
  if (raceId !== null) return { type: "race", id: raceId };
  const [, id, name] = /^\/s\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? [];
  const decoded = id === undefined ? null : decode(id);
  const tab = SESSION_TABS.find((each) => each === name) ?? null;
  if (decoded === null || (name !== undefined && tab === null)) return { type: "unknown" };
  return { type: "session", id: decoded, tab };
}

/** What stays when the address changes within one view: another tab of a session is no other view. */
export function viewOf(path: string): string {
  const route = routeOf(path);
  return route.type === "session" ? sessionPath(route.id) : path;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that somebody typed wrong names nothing.
    return null;
  }
}

export function sessionPath(sessionId: string, tab?: SessionTab): string {
  return `/s/${encodeURIComponent(sessionId)}${tab === undefined ? "" : `/${tab}`}`;
}

export function racePath(raceId: string): string {
  return `/races/${encodeURIComponent(raceId)}`;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Goes to a view; the browser's back leads back. */
export function navigate(path: string): void {
  if (path === window.location.pathname) return;
  window.history.pushState(null, "", path);
  window.scrollTo(0, 0);
  for (const listener of [...listeners]) listener();
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link inside the page. With a modifier key it does what links do. */
export function Link({ to, children, onClick, ...rest }: LinkProps): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
