/** Who listens where a daemon wanted to. */
import type { z } from "zod";
import { healthSchema } from "../protocol/api-schemas.js";

const PATIENCE_MS = 2_000;
/** Far more than a daemon says; another program may never stop. */
const ANSWER_BYTES_MAX = 4_096;

/** The daemon of another data folder that listens there; null: another program, or nobody who tells. */
export async function daemonAt(host: string, port: number): Promise<z.infer<typeof healthSchema> | null> {
  try {
    const response = await fetch(`http://${reachable(host)}:${port}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return healthSchema.safeParse(JSON.parse(await beginningOf(response))).data ?? null;
  } catch {
    // No HTTP, no JSON, no answer in time: then it is none of ours, and that is the answer.
    return null;
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}

function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
