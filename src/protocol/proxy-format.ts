/**
 * What the proxy and the daemon say to each other: lines of JSON on a socket of the data folder.
 *
 * This file imports nothing at all: the proxy loads it, and must not load zod, which takes 12 MiB of memory. What comes is
 * checked by `src/proxy/check-request.ts` and `src/daemon/proxy/proxy-client.ts`.
 */

export const PROXY_PROTOCOL_VERSION = 1;
/** Tells a proxy its data folder: a command line is for everybody to read. */
export const PROXY_FOLDER_VARIABLE = "SIGNALBOX_PROXY_DATA_DIR";
export const PROXY_LINE_BYTES_MAX = 1024 * 1024;

/** Of one policy. */
export const PROXY_HOSTS_MAX = 1_000;
export const PROXY_SERVICES_MAX = 16;

/** What a run may reach. */
export interface ProxyPolicy {
  /** `host`, `*.suffix` or any other place for stars; with `:port`, `:*` for all, and otherwise 80 and 443. */
  readonly hosts: readonly string[];
  /** The same; they win over whatever has a star. */
  readonly denied: readonly string[];
  /** `host:port` on loopback or a private network, which is refused otherwise. */
  readonly services: readonly string[];
  /** Of a host that is not listed: somebody is asked, or it is refused. */
  readonly unknown: "ask" | "refuse";
}

/** Connections to one unknown host, which wait together for one answer. Whoever comes meanwhile waits too. */
export interface HeldHost {
  readonly runId: string;
  /** Names this wait, and no other one of this data folder. */
  readonly heldId: string;
  readonly host: string;
  readonly port: number;
}

/** A port of a program inside, and where on this machine it is reached. */
export interface PublishedPort {
  readonly port: number;
  /** An address of the run's own on loopback. */
  readonly host: string;
  /** Another number where that one could not be had. */
  readonly at: number;
}

export type ProxyRequest =
  | {
      readonly type: "hello";
      readonly id: number;
      readonly version: number;
      readonly secret: string;
      /** Of the daemon itself: no run ever reaches them. */
      readonly daemonPorts: readonly number[];
    }
  /** May be repeated: the newest policy counts. */
  | { readonly type: "open"; readonly id: number; readonly runId: string; readonly policy: ProxyPolicy }
  /** The run has ended: whatever goes on in its name is cut. */
  | { readonly type: "close"; readonly id: number; readonly runId: string }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly runId: string;
      readonly heldId: string;
      readonly allow: boolean;
      /** For the agent to read, when it is refused. */
      readonly because: string;
    }
  /** Which ports programs of the run listen on inside. They can be reached from this machine from then on. */
  | {
      readonly type: "ports";
      readonly id: number;
      readonly runId: string;
      readonly except: readonly number[];
    }
  | { readonly type: "daemon_ports"; readonly id: number; readonly ports: readonly number[] }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "shutdown"; readonly id: number };

export type ProxyNotice =
  | {
      readonly type: "welcome";
      readonly id: number;
      readonly version: number;
      readonly release: string;
      readonly pid: number;
      readonly runs: readonly { readonly runId: string; readonly policy: ProxyPolicy }[];
      readonly held: readonly HeldHost[];
    }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "ports"; readonly id: number; readonly ports: readonly PublishedPort[] }
  | { readonly type: "failed"; readonly id: number; readonly message: string }
  | ({ readonly type: "held" } & HeldHost)
  /** So much waits already that nobody was asked: it was refused. */
  | { readonly type: "turned_away"; readonly runId: string; readonly host: string; readonly port: number }
  /** No answer is awaited any more: the time was up, or the list has it now. */
  | ({ readonly type: "given_up"; readonly why: "expired" | "gone" } & HeldHost);
