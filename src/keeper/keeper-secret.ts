import { randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** By which the keeper knows a daemon of its data folder. */
export function keeperSecretPath(dataDir: string): string {
  return join(dataDir, "keeper.secret");
}

/** The secret of a data folder, made by whoever first needs it: never half written, and never two. */
export function keeperSecret(dataDir: string): string {
  return secretAt(keeperSecretPath(dataDir));
}

export function secretAt(path: string): string {
  const known = readIfThere(path);
  if (known !== null) return known;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readIfThere(path) ?? "";
}

/** The file decides, as it is now: a daemon that had to make a new one must find its agents. */
export function isKeeperSecret(dataDir: string, given: string): boolean {
  return isSecretAt(keeperSecretPath(dataDir), given);
}

export function isSecretAt(path: string, given: string): boolean {
  const [own, said] = [Buffer.from(readIfThere(path) ?? ""), Buffer.from(given)];
  return own.length > 0 && own.length === said.length && timingSafeEqual(own, said);
}

function readIfThere(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? null : text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
