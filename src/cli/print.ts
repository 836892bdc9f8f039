/** Everything that commands write to stdout. */
import { BatchWriter } from "./batch-writer.js";

const output = new BatchWriter(process.stdout);

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
  return output.readerIsGone;
}
