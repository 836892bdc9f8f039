import { rmSync } from "node:fs";
import type { Server } from "node:http";

/** What an earlier daemon left there goes: whoever holds the journal is the only one. */
export async function listenAt(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // The file is made before `listen` returns: nobody but us may ever connect to it.
    const before = process.umask(0o177);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    process.umask(before);
  });
}
