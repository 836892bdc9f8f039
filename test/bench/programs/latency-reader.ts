/** A client that follows everything, or some sessions, and notes how long ago each piece of text was written by the paced writer. */
import { answerOrders } from "../side-process.js";
import { eventsOf, openEventStream, type DaemonAddress } from "./event-stream.js";

export type LatencyOrder =
  /** A connection for each query. */
  | { readonly type: "connect"; readonly daemon: DaemonAddress; readonly queries: readonly string[] }
  /** Answered with the milliseconds of the next so many pieces of text. */
  | { readonly type: "read"; readonly lines: number };

export interface LatencyAnswers {
  readonly connect: null;
  readonly read: readonly number[];
}

const latenciesMs: number[] = [];
let onProgress = (): void => undefined;
/** The number of each session's last piece: none may be missing or come twice. */
const seqs = new Map<string, number>();

interface TextDelta {
  readonly sessionId: string;
  readonly seq: number;
  readonly type?: string;
  readonly payload: { readonly text?: string };
}

function take(frames: Buffer): void {
  const nowNs = Number(process.hrtime.bigint());
  for (const { body } of eventsOf(frames)) {
    const { sessionId, seq, type, payload } = JSON.parse(body) as TextDelta;
    if (type !== "text_delta") continue;
    if (seq <= (seqs.get(sessionId) ?? 0)) throw new Error(`${sessionId}: ${seq} came again`);
    seqs.set(sessionId, seq);
    latenciesMs.push((nowNs - Number.parseInt(payload.text ?? "", 10)) / 1e6);
  }
  onProgress();
}

async function connect(daemon: DaemonAddress, queries: readonly string[]): Promise<null> {
  await Promise.all(queries.map((query) => openEventStream(daemon, query, take)));
  return null;
}

async function read(lines: number): Promise<readonly number[]> {
  await new Promise<void>((resolve) => {
    onProgress = () => {
      if (latenciesMs.length >= lines) resolve();
    };
    onProgress();
  });
  return latenciesMs.splice(0, lines);
}

answerOrders<LatencyOrder, LatencyAnswers>((order) =>
  order.type === "connect" ? connect(order.daemon, order.queries) : read(order.lines),
);
