/** The inbox as JSON. It is asked for again and again, and what an agent asks can be long: each ask is written once. */
import type { InboxItem } from "../../protocol/api-schemas.js";
import type { AskDetail } from "../../runtime/session-record.js";

interface Written {
  /** Everything but the long part, which is the ask's own and never changes. */
  readonly rest: string;
  readonly bytes: Buffer;
}

const WRITTEN = new WeakMap<AskDetail, Written>();

const OPENING = Buffer.from('{"items":[');
const SEPARATOR = Buffer.from(",");
const CLOSING = Buffer.from("]}");

/** As bytes, with what each ask was opened with. */
export function writeInbox(
  asks: readonly { readonly item: InboxItem; readonly ask: AskDetail | undefined }[],
): Buffer {
  const items = asks.flatMap(({ item, ask }, index) => {
    const bytes = ask === undefined ? Buffer.from(JSON.stringify(item)) : writeOnce(item, ask);
    return index === 0 ? [bytes] : [SEPARATOR, bytes];
  });
  return Buffer.concat([OPENING, ...items, CLOSING]);
}

function writeOnce(item: InboxItem, ask: AskDetail): Buffer {
  const rest = JSON.stringify({ ...item, detail: "" });
  const known = WRITTEN.get(ask);
  if (known?.rest === rest) return known.bytes;
  const bytes = Buffer.from(JSON.stringify(item));
  WRITTEN.set(ask, { rest, bytes });
  return bytes;
}
