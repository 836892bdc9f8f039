import { useEffect, useState } from "react";
import type { Client } from "../../client/client.js";
import type { Role } from "../../protocol/access.js";
import { useClient } from "../../react/hooks.js";

/** Somebody may have given this browser another role. */
const KNOWN_FOR_MS = 30_000;

interface OwnDevice {
  readonly id: string;
  readonly role: Role;
}

interface Known {
  readonly device: Promise<OwnDevice | null>;
  readonly atMs: number;
}

const known = new WeakMap<Client, Known>();

/** What this browser may do; null: not known yet, or it cannot be told now. */
export function useOwnRole(): Role | null {
  return useOwnDevice()?.role ?? null;
}

/** This browser, as the daemon knows it; null as above. */
export function useOwnDevice(): OwnDevice | null {
  const client = useClient();
  const [device, setDevice] = useState<OwnDevice | null>(null);
  useEffect(() => {
    let isOver = false;
    void ownDevice(client).then((found) => {
      if (!isOver) setDevice(found);
    });
    return () => {
      isOver = true;
    };
  }, [client]);
  return device;
}

/** Asked once for all that want to know it. Never rejects: the daemon decides in any case. */
function ownDevice(client: Client): Promise<OwnDevice | null> {
  const before = known.get(client);
  const nowMs = performance.now();
  if (before && nowMs - before.atMs < KNOWN_FOR_MS) return before.device;
  const device = client.listDevices().then(
    ({ items }) => items.find(({ current }) => current) ?? null,
    () => {
      known.delete(client);
      return null;
    },
  );
  known.set(client, { device, atMs: nowMs });
  return device;
}
