import { useEffect, useState } from "react";
import type { Client } from "../../client/client.js";
import type { Role } from "../../protocol/access.js";
import { useClient } from "../../react/hooks.js";

/** Somebody may have given this browser another role. */
const KNOWN_FOR_MS = 30_000;

interface Known {
  readonly role: Promise<Role | null>;
  readonly atMs: number;
}

const known = new WeakMap<Client, Known>();

/** What this browser may do; null: not known yet, or it cannot be told now. */
export function useOwnRole(): Role | null {
  const client = useClient();
  const [role, setRole] = useState<Role | null>(null);
  useEffect(() => {
    let isOver = false;
    void ownRole(client).then((found) => {
      if (!isOver) setRole(found);
    });
    return () => {
      isOver = true;
    };
  }, [client]);
  return role;
}

/** Asked once for all that want to know it. Never rejects: the daemon decides in any case. */
function ownRole(client: Client): Promise<Role | null> {
  const before = known.get(client);
  const nowMs = performance.now();
  if (before && nowMs - before.atMs < KNOWN_FOR_MS) return before.role;
  const role = client.listDevices().then(
    ({ items }) => items.find(({ current }) => current)?.role ?? null,
    () => {
      known.delete(client);
      return null;
    },
  );
  known.set(client, { role, atMs: nowMs });
  return role;
}
