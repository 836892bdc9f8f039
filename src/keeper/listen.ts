import { lstatSync, renameSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A socket that others find at `path`. */
export interface Listening {
  readonly server: Server;
  /** Names the file, also when another one has taken its place. */
  readonly fileId: string;
}

/**
 * Listens at `path`, unless somebody does so already: then null.
 *
 * The socket gets its place by renaming. Thus it replaces one that a dead keeper left, it never is there without
 * listening, and closing it cannot delete the file of a keeper that came later.
 */
export async function listen(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<Listening | null> {
  const server = createServer(onConnection);
  const ownPath = `${path}.${process.pid}`;
  await listenAt(server, ownPath);
  for (;;) {
    const before = fileIdAt(path);
    if (before !== null && (await answers(path))) {
      server.close();
      return null;
    }
    // Somebody else may have been quicker.
    if (fileIdAt(path) !== before) continue;
    renameSync(ownPath, path);
    return { server, fileId: fileIdAt(path) ?? "" };
  }
}

/** Null: there is no such file. */
export function fileIdAt(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** Stops listening, and deletes the file unless it is another's by now. */
export function stopListening({ server, fileId }: Listening, path: string): void {
  if (fileIdAt(path) === fileId) unlinkSync(path);
  server.close();
}

async function listenAt(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // The file is made before `listen` returns: nobody but us may ever connect to it.
    const before = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(before);
  });
}

async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false);
      else reject(error);
    });
  });
}
