import type { CreateSession } from "../../src/protocol/api-schemas.js";
import type { BenchDaemon } from "./bench-daemon.js";
import { eventually } from "./eventually.js";

const OPENED_AT_ONCE = 20;

/** Opens many sessions of small programs, of the scripted agent unless told otherwise; their ids, in order. */
export async function openSessions(
  daemon: BenchDaemon,
  count: number,
  session: (index: number) => Pick<CreateSession, "args" | "env" | "prompt"> & { readonly harness?: string },
): Promise<readonly string[]> {
  const ids = new Array<string>(count).fill("");
  let next = 0;
  const openSome = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const { id } = await daemon.client.createSession({
        harness: "script",
        cwd: daemon.ready.dataDir,
        ...session(index),
      });
      ids[index] = id;
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
  return ids;
}

/** Resolves when so many sessions are in a status. */
export async function statusReached(daemon: BenchDaemon, status: string, count: number): Promise<void> {
  await eventually(`${count} sessions ${status}`, async () => {
    const { items } = await daemon.client.listSessions({ status, limit: 1_000 });
    return items.length === count;
  });
}
