/** A connection to `GET /v1/events` with as little of its own as can be: whole frames, as bytes. */
import { request, type IncomingMessage } from "node:http";

export interface DaemonAddress {
  readonly url: string;
  readonly token: string;
}

export interface StreamEnd {
  end(): Promise<void>;
}

const FRAME_END = "\n\n";
const HEARTBEAT = ": heartbeat\n\n";
/** A line of its own: in an event's data a line's end is escaped. */
const HEALTH = "event: health\n";

/** Connects; `take` gets whole frames of events, and nothing else. */
export async function openEventStream(
  { url, token }: DaemonAddress,
  query: string,
  take: (frames: Buffer) => void,
): Promise<StreamEnd> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}/v1/events${query}`, { agent: false, headers: { authorization: `Bearer ${token}` } })
      .once("response", resolve)
      .once("error", reject)
      .end();
  });
  if (response.statusCode !== 200) throw new Error(`the event stream answered ${response.statusCode}`);
  let unread: Buffer = Buffer.alloc(0);
  let isOpened = false;
  response.on("data", (chunk: Buffer) => {
    const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    const end = bytes.lastIndexOf(FRAME_END);
    if (end < 0) {
      unread = bytes;
      return;
    }
    unread = bytes.subarray(end + FRAME_END.length);
    let frames = bytes.subarray(0, end + FRAME_END.length);
    if (!isOpened) {
      // What comes first sets the position, and tells nothing.
      frames = frames.subarray(frames.indexOf(FRAME_END) + FRAME_END.length);
      isOpened = true;
    }
    if (frames.includes(HEARTBEAT) || frames.includes(HEALTH)) frames = onlyEvents(frames);
    if (frames.length > 0) take(frames);
  });
  let isEnding = false;
  const closed = new Promise<void>((resolve) => {
    response.on("close", resolve);
  });
  response.on("error", (error) => {
    if (!isEnding) throw error;
  });
  return {
    async end() {
      isEnding = true;
      response.destroy();
      await closed;
    },
  };
}

/** Without heartbeats and what is said of the daemon's health: those have no position. */
function onlyEvents(frames: Buffer): Buffer {
  const kept = frames.toString("utf8").split(FRAME_END);
  return Buffer.from(kept.filter((frame) => frame === "" || frame.startsWith("id: ")).join(FRAME_END));
}

export interface SeenEvent {
  readonly position: number;
  readonly name: string;
  readonly body: string;
}

/** The events of whole frames. */
export function eventsOf(frames: Buffer): readonly SeenEvent[] {
  const texts = frames.toString("utf8").split(FRAME_END);
  texts.pop();
  return texts.map((text) => {
    const [id = "", event = "", data = ""] = text.split("\n");
    return {
      position: Number(id.slice("id: ".length)),
      name: event.slice("event: ".length),
      body: data.slice("data: ".length),
    };
  });
}

/** The position of the last of some whole frames. */
export function lastPositionOf(frames: Buffer): number {
  const start = frames.lastIndexOf(FRAME_END, frames.length - FRAME_END.length - 1);
  const last = frames.subarray(start < 0 ? 0 : start + FRAME_END.length);
  return Number.parseInt(last.toString("utf8", "id: ".length, 32), 10);
}
