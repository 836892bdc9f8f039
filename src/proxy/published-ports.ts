/**
 * What programs of a run serve inside, reached from this machine. Nothing from here goes in by itself: a relay inside has
 * connected to us, is told which port is wanted, and connects once more with what it finds there.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublishedPort } from "../protocol/proxy-format.js";
import { tunnel } from "./tunnel.js";

/** Commands beside the agent have a network of their own, and so a relay. */
const RELAYS_MAX = 64;
const PORTS_MAX = 16;
const WAITING_MAX = 128;
const FIRST_LINE_BYTES_MAX = 64;
const LIST_BYTES_MAX = 1024 * 1024;
const PATIENCE_MS = 5_000;

export interface PublishedPortsOptions {
  readonly runId: string;
  /** Counts a connection; false: it is one too many, and has been ended. */
  readonly admit: (socket: Socket) => boolean;
  readonly idleMsMax: number;
  readonly halfIdleMsMax: number;
}

interface Found {
  readonly port: number;
  readonly family: 4 | 6;
}

interface Opened {
  readonly server: Server;
  /** Where it leads to, as it was last found. */
  to: Found & { readonly relay: Socket };
}

export class PublishedPorts {
  private readonly relays = new Set<Socket>();
  /** Who has not yet said what it is. */
  private readonly strangers = new Set<Socket>();
  private readonly waiting = new Map<string, (socket: Socket) => void>();
  private readonly opened = new Map<number, Opened>();
  private count = 0;

  constructor(private readonly options: PublishedPortsOptions) {}

  /** Somebody inside has connected: a relay, or what one brings. */
  take(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (this.strangers.size >= WAITING_MAX) {
      socket.destroy();
      return;
    }
    this.strangers.add(socket);
    socket.on("close", () => this.strangers.delete(socket));
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on("close", () => clearTimeout(timer));
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(0x0a);
      if (end < 0 && head.length <= FIRST_LINE_BYTES_MAX) return;
      socket.off("data", onData).pause();
      clearTimeout(timer);
      this.strangers.delete(socket);
      const rest = head.subarray(end + 1);
      if (rest.length > 0) socket.unshift(rest);
      this.takeNamed(head.subarray(0, Math.max(0, end)).toString("latin1"), socket);
    };
    socket.on("data", onData);
  }

  /** All that is listened on inside, but for `except`; each can be reached from now on. Never rejects. */
  async ports(except: readonly number[]): Promise<readonly PublishedPort[]> {
    const lists = await Promise.all([...this.relays].map((relay) => this.listAt(relay)));
    const found = new Map(
      lists
        .flat()
        .filter(({ port }) => !except.includes(port))
        .map((each) => [each.port, each]),
    );
    for (const [port, { server }] of this.opened)
      if (!found.has(port)) {
        server.close();
        this.opened.delete(port);
      }
    const wanted = [...found.values()].sort((one, other) => one.port - other.port).slice(0, PORTS_MAX);
    const all = await Promise.all(wanted.map((each) => this.publish(each)));
    return all.filter((each) => each !== null);
  }

  stop(): void {
    for (const { server } of this.opened.values()) server.close();
    this.opened.clear();
    for (const relay of this.relays) relay.destroy();
    this.waiting.clear();
  }

  private takeNamed(name: string, socket: Socket): void {
    if (name === "relay" && this.relays.size < RELAYS_MAX) {
      this.relays.add(socket);
      socket.on("close", () => this.relays.delete(socket));
      // It says nothing more; that it has gone is noticed.
      socket.on("end", () => socket.destroy()).resume();
      return;
    }
    const waits = this.waiting.get(name);
    this.waiting.delete(name);
    if (waits) waits(socket);
    else socket.destroy();
  }

  /** What the relay brings for an order; null: nothing in time. */
  private async order(relay: Socket, port: number, family: 4 | 6): Promise<Socket | null> {
    if (relay.destroyed || this.waiting.size >= WAITING_MAX) return null;
    const name = String((this.count += 1));
    const late = new AbortController();
    const brought = new Promise<Socket>((resolve) => {
      this.waiting.set(name, resolve);
    });
    relay.write(`${name} ${port} ${family}\n`);
    const nothing = sleep(PATIENCE_MS, null, { signal: late.signal }).catch(() => null);
    const socket = await Promise.race([brought, nothing]);
    late.abort();
    this.waiting.delete(name);
    return socket;
  }

  private async listAt(relay: Socket): Promise<readonly (Found & { readonly relay: Socket })[]> {
    const socket = await this.order(relay, 0, 4);
    if (!socket) return [];
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (data: string) => {
      text += data;
      if (text.length > LIST_BYTES_MAX) socket.destroy();
    });
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on("end", () => socket.destroy()).resume();
    if (!socket.destroyed) await once(socket, "close");
    clearTimeout(timer);
    return listeningIn(text).map((each) => ({ ...each, relay }));
  }

  /** Null: no port of this machine could be had for it. */
  private async publish(to: Opened["to"]): Promise<PublishedPort | null> {
    const known = this.opened.get(to.port);
    if (known) known.to = to;
    const server =
      known?.server ?? createServer({ allowHalfOpen: true }, (client) => void this.lead(client, to.port));
    const host = loopbackOf(this.options.runId);
    if (!known && !(await listens(server, host, to.port)) && !(await listens(server, host, 0))) return null;
    this.opened.set(to.port, known ?? { server, to });
    const address = server.address();
    return typeof address === "object" && address !== null ? { port: to.port, host, at: address.port } : null;
  }

  private async lead(client: Socket, port: number): Promise<void> {
    if (!this.options.admit(client)) return;
    client.pause();
    const to = this.opened.get(port)?.to;
    const inside = to ? await this.order(to.relay, to.port, to.family) : null;
    if (!inside || client.destroyed) {
      client.destroy();
      inside?.destroy();
      return;
    }
    const { idleMsMax, halfIdleMsMax } = this.options;
    client.on("close", () => inside.destroy());
    tunnel(client, inside, { idleMsMax, halfIdleMsMax });
  }
}

/** Of `/proc/net/tcp` and `tcp6`: what can be reached from loopback. */
export function listeningIn(text: string): readonly Found[] {
  const found = new Map<number, Found>();
  for (const [, address = "", port = ""] of text.matchAll(
    /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:0000 0A /gm,
  )) {
    const isIpv6 = address.length === 32;
    const isNear = isIpv6
      ? /^0{24}0[01]0{6}$/.test(address) || /^0{32}$/.test(address)
      : /^(?:0{8}|[0-9A-F]{6}7F)$/.test(address);
    const number = Number.parseInt(port, 16);
    if (isNear && found.get(number)?.family !== 4)
      found.set(number, { port: number, family: isIpv6 ? 6 : 4 });
  }
  return [...found.values()];
}

/**
 * Each run has an address of its own on loopback: its ports keep their numbers, whatever others serve, and a browser sends it
 * no cookie of anybody else, least of all that of Signalbox's own page.
 */
export function loopbackOf(runId: string): string {
  const [one = 0, two = 0, three = 0] = createHash("sha256").update(runId).digest();
  return `127.${64 + (one % 128)}.${two}.${1 + (three % 254)}`;
}

async function listens(server: Server, host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const fail = (): void => resolve(false);
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      resolve(true);
    });
  });
}
