/**
 * From a name to a connection: looked up once, every address checked, and only checked addresses connected to. Whatever the
 * name means a moment later changes nothing.
 */
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProxyPolicy } from "../protocol/proxy-format.js";
import { isLocal, specialKind } from "./address.js";
import { isService, targetText, type Target } from "./policy.js";

export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Refused {
  readonly ok: false;
  readonly status: 400 | 403 | 502 | 503 | 504;
  /** One sentence, which names the host and the reason. */
  readonly sentence: string;
}
export type Reached = { readonly ok: true; readonly socket: Socket } | Refused;

export interface ReachOptions {
  readonly resolve: Resolve;
  readonly daemonPorts: readonly number[];
  /** For the look-up, and again for the connection. */
  readonly patienceMs: number;
}

const ADDRESSES_MAX = 8;
/** The next address is tried beside the one before after so long. */
const NEXT_AFTER_MS = 250;
const KEEP_ALIVE_MS = 30_000;

/** As the system does it, its file of hosts included. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

export async function reach(target: Target, policy: ProxyPolicy, options: ReachOptions): Promise<Reached> {
  const name = targetText(target);
  const found = await addressesOf(target.host, options);
  if (!Array.isArray(found)) return found as Refused;
  const addresses = found as readonly string[];
  const refusals = addresses.map((address) => addressFlaw(address, target, policy, options.daemonPorts));
  const checked = addresses.filter((_, index) => refusals[index] === null).slice(0, ADDRESSES_MAX);
  if (checked.length === 0) return refused(403, `${name} is refused: ${refusals[0] ?? "it has no address"}.`);
  const dialled = await dial(checked, target.port, options.patienceMs);
  if (dialled.socket) return { ok: true, socket: dialled.socket };
  return dialled.code === "ETIMEDOUT"
    ? refused(504, `${name} did not answer within ${options.patienceMs / 1_000} seconds.`)
    : refused(502, `${name} could not be connected to (${dialled.code}).`);
}

async function addressesOf(
  host: string,
  { resolve, patienceMs }: ReachOptions,
): Promise<readonly string[] | Refused> {
  if (isIP(host) !== 0) return [host];
  const timer = new AbortController();
  try {
    const late = sleep(patienceMs, null, { signal: timer.signal, ref: false });
    late.catch(() => undefined);
    const found = await Promise.race([resolve(host), late]);
    if (found === null)
      return refused(504, `${host} could not be looked up within ${patienceMs / 1_000} seconds.`);
    return found.length > 0 ? found : refused(502, `${host} has no address.`);
  } catch (error) {
    return refused(502, `${host} could not be looked up (${codeOf(error)}).`);
  } finally {
    timer.abort();
  }
}

/** Why an address may not be connected to; null: it may. */
function addressFlaw(
  address: string,
  target: Target,
  { services }: ProxyPolicy,
  daemonPorts: readonly number[],
): string | null {
  const { host, port } = target;
  if (isLocal(address) && daemonPorts.includes(port)) return "it is Signalbox itself";
  const kind = specialKind(address);
  if (kind === null || isService(services, target)) return null;
  if (isService(services, { host: address, port })) return null;
  const where = address === host ? "it is" : `it leads to ${address}, which is`;
  return `${where} ${kind}, and no service that the run may use ([wall] services)`;
}

interface Dialled {
  readonly socket: Socket | null;
  readonly code: string;
}

/** The first that answers; the others are ended. */
async function dial(addresses: readonly string[], port: number, patienceMs: number): Promise<Dialled> {
  return await new Promise((settle) => {
    const sockets = new Set<Socket>();
    let [index, code, isOver] = [0, "ETIMEDOUT", false];
    let stagger: NodeJS.Timeout | undefined;
    const end = (socket: Socket | null, why: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(stagger);
      clearTimeout(deadline);
      for (const other of sockets) if (other !== socket) other.destroy();
      settle({ socket, code: why });
    };
    const deadline = setTimeout(() => end(null, "ETIMEDOUT"), patienceMs);
    const next = (): void => {
      clearTimeout(stagger);
      const host = addresses[index];
      if (isOver || host === undefined) return;
      index += 1;
      const socket = connect({
        host,
        port,
        allowHalfOpen: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
      });
      sockets.add(socket);
      socket.once("connect", () => end(socket, ""));
      // Whoever gets it listens to its end; until then this is where it is told.
      socket.on("error", (error) => {
        code = codeOf(error);
        sockets.delete(socket);
        if (sockets.size === 0 && index >= addresses.length) end(null, code);
        else next();
      });
      stagger = setTimeout(next, NEXT_AFTER_MS);
    };
    next();
  });
}

export function refused(status: Refused["status"], sentence: string): Refused {
  return { ok: false, status, sentence };
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
}
