/** Which addresses are not the open Internet. */
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { normalHost } from "../core/permissions/host-name.js";

type Range = readonly [network: string, prefix: number];

/** A range that is in several lists is named by the first of them. */
const KINDS: readonly (readonly [kind: string, ranges: readonly Range[]])[] = [
  [
    "this machine itself",
    [
      ["127.0.0.0", 8],
      ["0.0.0.0", 8],
      ["::1", 128],
      ["::", 128],
    ],
  ],
  [
    "a cloud's metadata",
    [
      ["169.254.169.254", 32],
      ["168.63.129.16", 32],
      ["fd00:ec2::254", 128],
    ],
  ],
  [
    "link-local",
    [
      ["169.254.0.0", 16],
      ["fe80::", 10],
    ],
  ],
  [
    "a private network",
    [
      ["10.0.0.0", 8],
      ["172.16.0.0", 12],
      ["192.168.0.0", 16],
      ["100.64.0.0", 10],
      ["fc00::", 7],
      ["fec0::", 10],
    ],
  ],
  [
    "no address of a single host on the Internet",
    [
      ...([
        ["192.0.0.0", 24],
        ["192.0.2.0", 24],
        ["198.18.0.0", 15],
        ["198.51.100.0", 24],
      ] as const),
      ...([
        ["203.0.113.0", 24],
        ["192.88.99.0", 24],
        ["224.0.0.0", 3],
        ["ff00::", 8],
      ] as const),
      ...([
        ["100::", 64],
        ["2001:db8::", 32],
      ] as const),
    ],
  ],
  // They carry an IPv4 address, which may be any; so does `::ffff:0:0/96`, which is written as that address.
  [
    "a tunnel to another address",
    [
      ["::", 96],
      ["64:ff9b::", 96],
      ["64:ff9b:1::", 48],
      ["2001::", 32],
      ["2002::", 16],
    ],
  ],
];

const LISTS = KINDS.map(([kind, ranges]) => {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, familyOf(network));
  return [kind, list] as const;
});

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** What keeps an address from being reached without having been named; null: it is a host of the Internet. */
export function specialKind(address: string): string | null {
  const plain = normalHost(address.replace(/%.*$/, ""));
  if (isIP(plain) === 0) return "no address";
  const found = LISTS.find(([, list]) => list.check(plain, familyOf(plain)));
  if (found) return found[0];
  return isOwn(plain) ? "this machine itself" : null;
}

/** Whoever is connected to there is on this machine. */
export function isLocal(address: string): boolean {
  const plain = normalHost(address.replace(/%.*$/, ""));
  return isIP(plain) !== 0 && (LISTS[0]?.[1].check(plain, familyOf(plain)) === true || isOwn(plain));
}

/** Its interfaces may come and go. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some(
    (each) => each?.some((own) => normalHost(own.address.replace(/%.*$/, "")) === address) === true,
  );
}
