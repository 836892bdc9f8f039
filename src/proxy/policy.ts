/** What a run may reach, by the name that it asks for. */
import { isIP } from "node:net";
import { normalHost } from "../core/permissions/host-name.js";
import type { ProxyPolicy } from "../protocol/proxy-format.js";

export interface Target {
  /** As `normalHost` writes it. */
  readonly host: string;
  readonly port: number;
}

export type Judgement = "allowed" | "denied" | "unknown";

const USUAL_PORTS: readonly number[] = [80, 443];
const HOST_LENGTH_MAX = 253;

/** `host:port`, also `[::1]:80`; null: it is nothing like that. */
export function parseTarget(authority: string, usualPort: number | null): Target | null {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9A-Fa-f:.]{2,64})\]|([^:[\]/@\s\0]{1,1024}))(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const given = bracketed ?? plain;
  if (given === undefined) return null;
  const host = normalHost(given);
  const port = digits === undefined ? usualPort : Number(digits);
  if (port === null || port < 1 || port > 65_535) return null;
  const isName = host.length <= HOST_LENGTH_MAX && /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(host);
  return isName || isIP(host) !== 0 ? { host, port } : null;
}

export function targetText({ host, port }: Target): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Who is named without a star is meant; then what is denied counts, and last what has a star. */
export function judge({ hosts, denied, services }: ProxyPolicy, target: Target): Judgement {
  if (isService(services, target)) return "allowed";
  if (hosts.some((pattern) => !withoutPort(pattern).includes("*") && matches(pattern, target)))
    return "allowed";
  if (denied.some((pattern) => matches(pattern, target))) return "denied";
  return hosts.some((pattern) => matches(pattern, target)) ? "allowed" : "unknown";
}

export function isService(services: readonly string[], target: Target): boolean {
  return services.some((service) => {
    const named = parseTarget(service, null);
    return named?.host === target.host && named.port === target.port;
  });
}

function withoutPort(pattern: string): string {
  return pattern.replace(/:(?:\d+|\*)$/, "");
}

/** `*.suffix` is every host below it, at any depth, and not the suffix itself. */
function matches(pattern: string, { host, port }: Target): boolean {
  const [, bracketed, plain = "", wanted] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+|\*))?$/.exec(pattern) ?? [];
  const isPort =
    wanted === undefined ? USUAL_PORTS.includes(port) : wanted === "*" || Number(wanted) === port;
  return isPort && matchesHost(normalHost(bracketed ?? plain), host);
}

/** Linear: it never goes back. */
function matchesHost(pattern: string, host: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern !== "" && host === first;
  if (host.length < first.length + last.length || !host.startsWith(first) || !host.endsWith(last))
    return false;
  let from = first.length;
  const end = host.length - last.length;
  for (const piece of rest) {
    const found = host.indexOf(piece, from);
    if (found === -1 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}
