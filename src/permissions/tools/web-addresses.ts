/** The hosts that the input of a tool names. */
import { bracketed } from "../resolve/resolve-host.js";

export interface NamedHosts {
  readonly hosts: readonly string[];
  /** Whether it is these hosts that are called, and no others. */
  readonly isCertain: boolean;
}

const WEB = new Set(["http:", "https:", "ws:", "wss:"]);

/** Every program reads these alike. With a backslash or a space in it, one sees another host than the next. */
const PLAIN_ADDRESS = /^(?:https?|wss?):\/\/(?:[^\s\p{C}\\/?#@]*@)?[^\s\p{C}\\/?#@]+(?:[/?#][^\s\p{C}]*)?$/iu;
const PLAIN_HOST = /^(?:\[[0-9a-f:.]+\]|[^\s\p{C}\\/?#@:%[\]]+)(?::\d+)?$/iu;

/** Of a field that is one address, or a host alone. */
export function hostOfAddress(field: string): NamedHosts {
  const text = bracketed(field.trim());
  const address = PLAIN_HOST.test(text) ? `http://${text}` : text;
  const url = urlOf(address);
  if (url && WEB.has(url.protocol) && PLAIN_ADDRESS.test(address))
    return { hosts: [url.hostname], isCertain: true };
  const itself = hasHost(url) ? url : urlOf(`http://${text}`);
  const hosts = [...(hasHost(itself) ? [itself.hostname] : []), ...hostsInText(text).hosts];
  return { hosts: [...new Set(hosts)], isCertain: false };
}

/** The beginning of an address, up to its path. Browsers need no slashes after a scheme that they know. */
const ADDRESS = /(?:\b(https?|wss?|ftp):[/\\]*|([a-z][a-z0-9+-]{0,20}):[/\\]{2})([^\s/\\?#]*)/gi;
const HOSTS_MAX = 200;

/** Of a text that may speak of addresses. */
export function hostsInText(text: string): NamedHosts {
  const hosts = new Set<string>();
  let isCertain = true;
  for (const [, known, other = "", authority = ""] of text.matchAll(ADDRESS)) {
    const scheme = `${known ?? other}:`.toLowerCase();
    // "Use http: it is faster" names no host.
    if (authority === "" && WEB.has(scheme)) continue;
    const host = urlOf(`http://${hostIn(authority)}`)?.hostname;
    if (host === undefined || !WEB.has(scheme) || hosts.size >= HOSTS_MAX) isCertain = false;
    if (host !== undefined && hosts.size < HOSTS_MAX) hosts.add(host);
  }
  return { hosts: [...hosts], isCertain };
}

/** What a sentence puts behind an address. */
const MARKS = new Set(".,;:!'\"`)]}*_~|");

/** Without the user in front of it, and without the marks of the sentence that it stands in. */
function hostIn(authority: string): string {
  const [host = ""] = authority.slice(authority.lastIndexOf("@") + 1).split(/[<>]/, 1);
  let end = host.length;
  while (end > 0 && MARKS.has(host[end - 1] ?? "")) end -= 1;
  return host.startsWith("[") && host[end] === "]" ? host.slice(0, end + 1) : host.slice(0, end);
}

/** The file that an address of a file names. */
export function fileOfAddress(field: string): string | null {
  const url = urlOf(field.trim());
  if (url?.protocol !== "file:") return null;
  return url.pathname.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function hasHost(url: URL | null): url is URL {
  return url !== null && url.hostname !== "";
}
