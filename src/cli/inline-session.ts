/** Which session answers at the prompt: each folder has one of its own, so that a second question knows the first. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { Status } from "../core/session/state.js";
import type { SessionSummary } from "../protocol/session.js";

const FOLDERS_MAX = 500;

/** It waits for nobody and for nothing: a message begins a turn. In any other, somebody else is talking to it. */
export const RESTING: ReadonlySet<Status> = new Set(["completed", "paused", "error", "stopped"]);

export class InlineSessions {
  constructor(
    private readonly client: Client,
    private readonly dataDir: string,
  ) {}

  /** The folder's session, when it can be asked something now. */
  async find(cwd: string, model: string | undefined): Promise<SessionSummary | null> {
    const sessionId = await this.recall(cwd);
    if (sessionId === null) return null;
    try {
      const session = await this.client.getSession(sessionId);
      const isOther = session.cwd !== cwd || (model !== undefined && session.model !== model);
      return isOther || !RESTING.has(session.status) ? null : session;
    } catch (error) {
      if (error instanceof SignalboxError && error.code === "session_not_found") return null;
      throw error;
    }
  }

  async remember(cwd: string, sessionId: string): Promise<void> {
    const path = this.pathFor(cwd);
    const part = `${path}.${process.pid}.part`;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(part, `${JSON.stringify({ cwd, sessionId })}\n`, { mode: 0o600 });
    await rename(part, path);
    await this.forgetOldest();
  }

  private async recall(cwd: string): Promise<string | null> {
    try {
      const kept: unknown = JSON.parse(await readFile(this.pathFor(cwd), "utf8"));
      const isKept = typeof kept === "object" && kept !== null && "sessionId" in kept;
      return isKept && typeof kept.sessionId === "string" ? kept.sessionId : null;
    } catch (error) {
      // A file that is not there, or that is broken, remembers nothing.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  private async forgetOldest(): Promise<void> {
    const names = await readdir(this.folder);
    if (names.length <= FOLDERS_MAX) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.folder, name);
        return { path, atMs: (await stat(path)).mtimeMs };
      }),
    );
    const oldest = files.toSorted((a, b) => a.atMs - b.atMs).slice(0, names.length - FOLDERS_MAX);
    for (const { path } of oldest) await rm(path, { force: true });
  }

  private get folder(): string {
    return join(this.dataDir, "inline");
  }

  private pathFor(cwd: string): string {
    const name = createHash("sha256").update(cwd).digest("hex").slice(0, 32);
    return join(this.folder, `${name}.json`);
  }
}
