/** The names of a host. */
import { domainToUnicode } from "node:url";
import type { WebAccess } from "../../core/index.js";
import { normalHost } from "../../core/permissions/name-rule.js";

/** `host`: a host, or a whole address; users, ports and paths are taken away. */
export function resolveHost(host: string): WebAccess {
  const name = hostName(host);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(name);
  const names = [name, normalHost(domainToUnicode(name)), ...(mapped ? [dotted(mapped[1], mapped[2])] : [])];
  return { category: "Web", host: name, hosts: [...new Set(names)].filter((each) => each !== "") };
}

/** As a browser reads it: `0x7f.1` is `127.0.0.1`, letters of other scripts are written in ASCII. */
function hostName(host: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(host)
    ? host.replace(/^[^:]+/, "http")
    : `http://${bracketed(host)}`;
  return URL.canParse(address) ? normalHost(new URL(address).hostname) : normalHost(host);
}

/** `::1` as it stands in an address. */
function bracketed(host: string): string {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host;
}

/** The IPv4 address in two groups of an IPv6 address. */
function dotted(high = "0", low = "0"): string {
  const groups = [high, low].map((group) => Number.parseInt(group, 16));
  return groups.flatMap((group) => [group >> 8, group & 255]).join(".");
}
