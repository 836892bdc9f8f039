import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchOptions } from "./benchmark.js";

const EXIT_INTERRUPTED = 130;

export interface Scratch {
  /** On the disk of the repository: what the system has for temporary files may be memory, and know no sync. */
  readonly folder: string;
  /** Takes charge of something that has an end. */
  readonly own: <T extends Owned>(thing: T) => T;
}

interface Owned {
  end(): Promise<void>;
}

/** Gives `work` a folder, and clears away all that it made, also when it fails or is interrupted. */
export async function withScratch<T>(
  { folder }: BenchOptions,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const parent = fileURLToPath(new URL("../../.bench/", folder));
  await mkdir(parent, { recursive: true });
  const own = await mkdtemp(join(parent, "run-"));
  const owned: Owned[] = [{ end: () => rm(own, { recursive: true, force: true, maxRetries: 5 }) }];
  // The last comes first.
  const clear = async (): Promise<void> => {
    for (let thing = owned.pop(); thing; thing = owned.pop()) await thing.end();
  };
  const onInterrupt = (): void => void clear().finally(() => process.exit(EXIT_INTERRUPTED));
  process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
  try {
    const scratch: Scratch = {
      folder: own,
      own(thing) {
        owned.push(thing);
        return thing;
      },
    };
    return await work(scratch);
  } finally {
    await clear();
    process.off("SIGINT", onInterrupt).off("SIGTERM", onInterrupt);
  }
}
