import { lstatSync, mkdirSync } from "node:fs";

/** Makes a folder that only we can enter, or checks the one that is there. */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  checkPrivateFolder(path);
}

/**
 * Throws when somebody else could put things into this folder: what is sent to a socket in it holds the agents'
 * environment.
 */
export function checkPrivateFolder(path: string): void {
  const found = lstatSync(path);
  const uid = process.getuid?.() ?? found.uid;
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0) {
    throw new Error(`${path} must be a folder that belongs to us and that nobody else can write to`);
  }
}
