/** What a codec makes of what its agent said. One that throws, as none may, loses only what it threw at. */
import type { Decoded, Harness } from "./harness.js";
import type { LiveSession } from "./live-session.js";
import type { Writing } from "./writing.js";

const KEPT_LENGTH_MAX = 10_000;

type Codec = Pick<LiveSession, "codec" | "run">;

/** A line of its output, or bytes as they came. */
export function decodeOutput(
  harness: Harness,
  { codec, run }: Codec,
  text: string,
  writing: Writing,
): Decoded {
  try {
    return harness.decode(codec, text, writing.nowMs);
  } catch (error) {
    return unread(harness, { codec, run }, text, error, writing);
  }
}

/** A line of its hooks. */
export function decodeHook(
  harness: Harness,
  { codec, run }: Codec,
  line: string,
  writing: Writing,
): Decoded | undefined {
  try {
    return harness.decodeHook?.(codec, line, writing.nowMs);
  } catch (error) {
    return unread(harness, { codec, run }, line, error, writing);
  }
}

/** It is kept and counted like any other message that the codec does not know. */
function unread(
  { name }: Harness,
  { codec, run }: Codec,
  text: string,
  error: unknown,
  { observer }: Writing,
): Decoded {
  observer.failed(`reading what an agent of ${name} said`, error);
  const payload = { unknown: text.slice(0, KEPT_LENGTH_MAX) };
  return {
    state: codec,
    outputs: [
      { type: "unknown", kind: "thrown_at" },
      { type: "stream", streamId: `run-${run}`, event: "metadata", payload },
    ],
  };
}
