/**
 * Values of variables that sessions were given, in a file of their own beside the journal. They are never in the journal,
 * so that no copy of it holds them.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { JournalError } from "../journal-error.js";

export type Variables = Readonly<Record<string, string>>;

interface Contents {
  readonly version: 1;
  readonly sessions: Readonly<Record<string, { readonly env: Variables }>>;
}

export class SecretsFile {
  private readonly sessions: Map<string, Variables>;

  private constructor(
    private readonly path: string,
    contents: Contents | null,
    /** Why what was there could not be read; it was put aside. */
    readonly problem: string | null,
  ) {
    this.sessions = new Map(Object.entries(contents?.sessions ?? {}).map(([id, { env }]) => [id, env]));
  }

  static beside(journalPath: string): SecretsFile {
    const path = join(dirname(journalPath), "secrets.json");
    const text = readIfThere(path);
    if (text === null) return new SecretsFile(path, null, null);
    const contents = parse(text);
    if (contents) return new SecretsFile(path, contents, null);
    renameSync(path, `${path}.damaged`);
    return new SecretsFile(path, null, `${path} could not be read, and is ${path}.damaged now.`);
  }

  envOf(sessionId: string): Variables {
    return this.sessions.get(sessionId) ?? {};
  }

  /** On the disk when it returns. Nothing is written when nothing changes. */
  put(entries: Iterable<readonly [string, Variables]>): void {
    let isChanged = false;
    for (const [sessionId, env] of entries) {
      if (JSON.stringify(env) === JSON.stringify(this.envOf(sessionId))) continue;
      isChanged = true;
      if (Object.keys(env).length === 0) this.sessions.delete(sessionId);
      else this.sessions.set(sessionId, env);
    }
    if (isChanged) this.write();
  }

  /** Those of sessions that are no more are deleted. */
  keepOnly(sessionIds: ReadonlySet<string>): void {
    this.put([...this.sessions.keys()].filter((id) => !sessionIds.has(id)).map((id) => [id, {}]));
  }

  private write(): void {
    const contents: Contents = {
      version: 1,
      sessions: Object.fromEntries([...this.sessions].map(([id, env]) => [id, { env }])),
    };
    const fresh = `${this.path}.new`;
    try {
      const file = openSync(fresh, "w", 0o600);
      try {
        writeSync(file, `${JSON.stringify(contents)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(fresh, this.path);
    } catch (error) {
      const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
      const reason = error instanceof Error ? error.message : String(error);
      throw new JournalError(isFull ? "full" : "io", `${this.path} cannot be written: ${reason}`, {
        cause: error,
      });
    }
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parse(text: string): Contents | null {
  try {
    const value = JSON.parse(text) as Partial<Contents> | null;
    return value?.version === 1 && typeof value.sessions === "object" ? (value as Contents) : null;
  } catch {
    return null;
  }
}
