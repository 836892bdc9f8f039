/** What of the network a run has: a pure part of the plan. */
import { normalHost } from "../core/permissions/host-name.js";
import { matchesTextGlob, parseTextGlob } from "../core/permissions/text-glob.js";
import type { Rule } from "../core/index.js";
import { WALL_NETWORKS, type WallNetwork, type WallPlan } from "../protocol/wall.js";
import { harnessTable } from "./harness-tables.js";
import { PRESET_HOSTS, PROVIDER_HOSTS, TELEMETRY_HOSTS } from "./known-hosts.js";
import type { Machine, WallSession } from "./wall-input.js";

/** Where a run's sockets are, inside. */
export const NETWORK_FOLDER = "/run/signalbox/network";
/** Unusual, so that nothing that an agent starts wants it. */
const PROXY_PORT = 19_080;

type Network = WallPlan["network"];

/** Variables that say where a model is, or something like it. */
const ADDRESS_VARIABLE = /(?:BASE_?UR[LI]|ENDPOINT|API_BASE|API_URL)$|^OLLAMA_HOST$/i;
const HOSTS_MAX = 900;
const SERVICES_MAX = 16;

export interface NetworkInput {
  readonly rules: readonly Rule[];
  readonly session: WallSession;
  readonly machine: Pick<Machine, "environment" | "settingsUrls">;
  /** Names of variables that the run keeps. */
  readonly kept: readonly string[];
}

export function compileNetwork({ rules, session, machine, kept }: NetworkInput): Network {
  const { settings, harness, networkDir } = session;
  const { network: mode } = settings;
  if (mode !== "listed") return { mode, hosts: [], services: [] };
  const addresses = [
    ...kept.filter((name) => ADDRESS_VARIABLE.test(name)).flatMap((name) => machine.environment[name] ?? []),
    ...machine.settingsUrls,
  ].flatMap((text) => addressIn(text) ?? []);
  const providers = harnessTable(harness).environment;
  const ofProviders = PROVIDER_HOSTS.filter(
    ({ variable }) => kept.includes(variable) && isNamed(variable, providers),
  ).map(({ host }) => host);
  const denied = webPatterns(rules, "deny");
  const own = [
    ...harnessTable(harness).hosts,
    ...ofProviders,
    ...addresses.filter(({ isLoopback }) => !isLoopback).map(({ text }) => text),
    ...settings.hosts,
    ...settings.presets.flatMap((name) => PRESET_HOSTS[name]),
  ];
  const services = [
    ...settings.services,
    ...addresses.filter(({ isLoopback }) => isLoopback).map(({ text }) => text),
  ];
  return {
    mode,
    hosts: sorted([
      // Who is denied by name is denied; a wide deny is about what the agent looks up, not about its model.
      ...own.filter((host) => !denied.includes(`${normalHost(withoutPort(host))}:*`)),
      ...allowedByRules(rules, denied),
    ]).slice(0, HOSTS_MAX),
    services: sorted(services).slice(0, SERVICES_MAX),
    denied: [...sorted(denied).slice(0, HOSTS_MAX), ...TELEMETRY_HOSTS.map((host) => `${host}:*`)],
    ...(networkDir === null
      ? {}
      : { proxy: { from: networkDir, path: NETWORK_FOLDER, port: freePort(services) } }),
    ...(settings.publish ? { publish: true as const } : {}),
  };
}

/** By a list in which a star at the end stands for any rest. */
function isNamed(variable: string, list: readonly string[]): boolean {
  return list.some((name) =>
    name.endsWith("*") ? variable.startsWith(name.slice(0, -1)) : variable === name,
  );
}

/** Rules are about hosts, whatever the port. */
function webPatterns(rules: readonly Rule[], effect: Rule["effect"]): readonly string[] {
  return rules
    .filter((rule) => rule.category === "Web" && rule.effect === effect)
    .map(({ pattern }) => `${pattern === null ? "*" : inBrackets(normalHost(pattern))}:*`);
}

/** As everywhere, a deny wins over an allow, and so does an ask. */
function allowedByRules(rules: readonly Rule[], denied: readonly string[]): readonly string[] {
  const stronger = [...denied, ...webPatterns(rules, "ask")].map(parseTextGlob);
  return webPatterns(rules, "allow").filter(
    (pattern) => !stronger.some((glob) => matchesTextGlob(glob, pattern)),
  );
}

function inBrackets(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function withoutPort(host: string): string {
  return host.replace(/:(?:\d+|\*)$/, "");
}

interface Address {
  /** `host:port` */
  readonly text: string;
  readonly isLoopback: boolean;
}

/** Of an address of the web, or a bare `host:port`; null: it is none. */
function addressIn(text: string): Address | null {
  const [, scheme = "http", authority = ""] =
    /^(?:(https?):\/\/)?(?:[^/@?#\s]*@)?([^/?#\s]+)/i.exec(text.trim()) ?? [];
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) return null;
  const port = digits ?? (scheme.toLowerCase() === "https" ? "443" : "80");
  const normal = normalHost(host);
  return { text: `${inBrackets(normal)}:${port}`, isLoopback: isLoopback(normal) };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

export interface Forward {
  /** `host:port` on loopback, inside. */
  readonly listen: string;
  readonly port: number;
  readonly isIpv6: boolean;
  /** In the folder of the run's sockets; the proxy names them so too. */
  readonly socket: string;
}

/** From which ports inside to which sockets. Services elsewhere than on loopback are reached by the proxy. */
export function forwardsOf({ services, proxy }: Network): readonly Forward[] {
  if (!proxy) return [];
  const local = services.flatMap((service) => {
    const address = addressIn(service);
    if (!address?.isLoopback) return [];
    const [, host = "", port = "0"] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(address.text) ?? [];
    const socket = `${proxy.path}/${service.replace(/[^A-Za-z0-9.]/g, "-")}`;
    return [
      {
        listen: host === "localhost" ? "127.0.0.1" : host,
        port: Number(port),
        isIpv6: host.includes(":"),
        socket,
      },
    ];
  });
  const all = [
    { listen: "127.0.0.1", port: proxy.port, isIpv6: false, socket: `${proxy.path}/http` },
    ...local,
  ];
  return [...new Map(all.map((each) => [`${each.listen} ${each.port}`, each])).values()];
}

function freePort(services: readonly string[]): number {
  let port = PROXY_PORT;
  while (services.some((service) => service.endsWith(`:${port}`))) port += 1;
  return port;
}

/** Whoever wants to reach something finds the way in these. */
export function proxyVariables({ proxy }: Network): Readonly<Record<string, string>> {
  if (!proxy) return {};
  const url = `http://127.0.0.1:${proxy.port}`;
  const names = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: "localhost,127.0.0.1,::1" };
  const lower = Object.entries(names).map(([name, value]) => [name.toLowerCase(), value] as const);
  // Node's own `fetch` asks for it since version 24.
  return { ...names, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: "1" };
}

/** The narrower of two. */
export function narrower(one: WallNetwork, other: WallNetwork): WallNetwork {
  return WALL_NETWORKS.indexOf(one) < WALL_NETWORKS.indexOf(other) ? one : other;
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
