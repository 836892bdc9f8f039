import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { failure, type Failure } from "./problem.js";

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** Sites that are not this very page. `same-site` is another port of this machine: not us. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(["cross-site", "same-site"]);

/** What is asked of every request before anything else. */
export interface RequestGate {
  check(request: Arrived): Failure | null;
  /** A page of ours made the request, and its browser says so. */
  hasOwnOrigin(headers: IncomingHttpHeaders): boolean;
  /** How the client reaches us; only for requests that passed the check. */
  baseUrl(headers: IncomingHttpHeaders): string;
}

/** The head of a request; `headersDistinct` has every line of it. */
export type Arrived = Pick<IncomingMessage, "headers" | "headersDistinct">;

/**
 * For the socket in the data folder, which only programs of the same person can open: no name leads there, so that none
 * is checked, and no browser, so that nothing which a browser adds is let in.
 */
export class SocketGate implements RequestGate {
  /** `url`: how a browser would reach us. */
  constructor(private readonly url: string) {}

  check({ headers }: Arrived): Failure | null {
    const isOfBrowser = Object.keys(headers).some(
      (name) => name === "origin" || name.startsWith("sec-fetch-"),
    );
    return isOfBrowser ? failure("forbidden", "Browsers have no business at this socket.") : null;
  }

  hasOwnOrigin(): boolean {
    return false;
  }

  baseUrl(): string {
    return this.url;
  }
}

/**
 * Lets in only requests that were meant for us, and that no foreign page made. Loopback is not trust: a name that somebody
 * else owns can be made to point here (DNS rebinding), and any page can make a browser call us.
 */
export class HostGate implements RequestGate {
  readonly #hosts = new Set<string>();
  readonly #origins = new Set<string>();
  readonly #configured: ReadonlySet<string>;
  readonly #isTls: boolean;

  /** `hosts`: further names by which we are reached, with a port where it is not the one we listen on. */
  constructor(hosts: readonly string[], isTls: boolean, port: number) {
    this.#isTls = isTls;
    const defaultPort = isTls ? 443 : 80;
    for (const name of LOOPBACK_NAMES) {
      this.#allow(`${name}:${port}`);
      if (port === defaultPort) this.#allow(name);
    }
    const names = hosts.map((host) => host.toLowerCase());
    this.#configured = new Set(names.flatMap((name) => [name, `${name}:${port}`]));
    for (const name of this.#configured) {
      this.#allow(name);
      // Whoever reaches us by another name may come through a proxy that adds TLS.
      this.#origins.add(`https://${name}`);
    }
  }

  check({ headers, headersDistinct }: Arrived): Failure | null {
    // Which of two counts, each program on the way decides for itself.
    if ((headersDistinct["host"]?.length ?? 0) > 1)
      return failure("protocol_error", "A request has one Host header.");
    if (!this.#hosts.has(headers.host?.toLowerCase() ?? ""))
      return failure("forbidden", "The Host header does not name this daemon.");
    if (headers.origin !== undefined && !this.hasOwnOrigin(headers))
      return failure("forbidden", "Pages of other origins may not call this daemon.");
    if (FOREIGN_SITES.has(String(headers["sec-fetch-site"])))
      return failure("forbidden", "Pages of other sites may not call this daemon.");
    return null;
  }

  /** A page of ours made the request, and its browser says so. */
  hasOwnOrigin(headers: IncomingHttpHeaders): boolean {
    return this.#origins.has(headers.origin?.toLowerCase() ?? "");
  }

  /** How the client reaches us; only for requests that passed the check. */
  baseUrl(headers: IncomingHttpHeaders): string {
    const host = headers.host?.toLowerCase() ?? "";
    const isProxied = this.#configured.has(host) && headers["x-forwarded-proto"] === "https";
    return `${this.#isTls || isProxied ? "https" : "http"}://${host}`;
  }

  #allow(host: string): void {
    this.#hosts.add(host);
    this.#origins.add(`${this.#isTls ? "https" : "http"}://${host}`);
  }
}
