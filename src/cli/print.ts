/** Everything that commands write to stdout. */
import { BatchWriter } from "./batch-writer.js";
import { watchReader } from "./watch-reader.js";

const output = new BatchWriter(process.stdout);
const gone = new AbortController();
let isWatched = false;

/** Resolves when it is out: a slow reader makes us wait. */
export async function print(text: string): Promise<void> {
  await output.write(text);
  await output.flush();
}

/** One value on one line. */
export function printJson(value: unknown): Promise<void> {
  return print(`${JSON.stringify(value)}\n`);
}

/** Nobody reads any more (`| head -1`): a reason to end. */
export function readerIsGone(): boolean {
  return output.readerIsGone || gone.signal.aborted;
}

/** For whoever may write nothing for long: aborted when nobody reads any more. */
export function readerGone(): AbortSignal {
  if (!isWatched) watchReader(() => gone.abort());
  isWatched = true;
  return gone.signal;
}
