/** Which view the address names. The page has four; everything else is not here. */
import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from "react";

export type Route =
  | { readonly type: "board" }
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "inbox" }
  | { readonly type: "new" }
  | { readonly type: "unknown" };

export function routeOf(path: string): Route {
  if (path === "/") return { type: "board" };
  if (path === "/inbox") return { type: "inbox" };
  if (path === "/new") return { type: "new" };
  const id = /^\/s\/([^/]+)$/.exec(path)?.[1];
  const decoded = id === undefined ? null : decode(id);
  return decoded === null ? { type: "unknown" } : { type: "session", id: decoded };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that somebody typed wrong names nothing.
    return null;
  }
}

export function sessionPath(sessionId: string): string {
  return `/s/${encodeURIComponent(sessionId)}`;
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
