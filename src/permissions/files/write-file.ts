import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * All of it or nothing, also when the machine stops in the middle. A new file is for its owner alone; one that is there
 * keeps its mode. `path` must not be a link: the link would be replaced.
 */
export function writeFileWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600;
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  const fd = openSync(draft, "wx", 0o600);
  try {
    try {
      fchmodSync(fd, mode & 0o777);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
