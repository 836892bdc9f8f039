/** The names of a host. */
import { domainToUnicode } from "node:url";
import type { WebAccess } from "../../core/index.js";
import { normalHost } from "../../core/permissions/host-name.js";

/** `host`: a host, or a whole address; users, ports and paths are taken away. */
export function resolveHost(host: string): WebAccess {
  const read = hostName(host);
  const name = normalHost(read);
  // What stands for an IPv4 address has its own name as well.
  const mapped = read.startsWith("[::ffff:") ? [read.slice(1, -1)] : [];
  const names = [name, normalHost(domainToUnicode(name)), ...mapped];
  return { category: "Web", host: name, hosts: [...new Set(names)].filter((each) => each !== "") };
}

/** As a browser reads it: `0x7f.1` is `127.0.0.1`, letters of other scripts are written in ASCII. */
function hostName(host: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(host)
    ? host.replace(/^[^:]+/, "http")
    : `http://${bracketed(host)}`;
  return URL.canParse(address) ? new URL(address).hostname : host;
}

/** `::1` as it stands in an address. */
export function bracketed(host: string): string {
  return /^[0-9a-f:.]+$/i.test(host) && host.split(":", 3).length > 2 ? `[${host}]` : host;
}
