/**
 * Projects and workspaces on the disk: each as it is now, and the events that made a workspace so.
 *
 * A file of its own, because it is written when git has done something and not when an agent says something. Rows carry a
 * CRC-32, as those of the journal do; one that is damaged is told and left out, never guessed.
 */
import type { WorkspaceEvent } from "../../core/workspace/events.js";
import { workspaceMachine } from "../../core/workspace/workspace-machine.js";
import { Database } from "../../journal/sqlite/database.js";
import { createPrivateFile } from "../../journal/sqlite/private-file.js";
import {
  checksumOf,
  isIntact,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "../../journal/sqlite/stored-row.js";
import { projectSchema, type Project } from "../../protocol/workspace.js";
import type { WorkspaceRecord, WorkspaceStore } from "../../workspace/workspace-desk.js";
import { NO_SETTINGS } from "./settings.js";
import { copyInto, EVENTS_MAX, schemaIn } from "./workspaces-file.js";

const BUSY_TIMEOUT_MS = 5_000;

export class SqliteWorkspaceStore implements WorkspaceStore {
  private readonly database: Database;
  private readonly onDamage: (what: string) => void;
  /** What was found to be damaged since it was opened. */
  readonly damages = new Set<string>();

  constructor(path: string, onDamage: (what: string) => void) {
    this.onDamage = (what) => {
      this.damages.add(what);
      onDamage(what);
    };
    createPrivateFile(path);
    this.database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
    this.database.exec(`${schemaIn("")} PRAGMA user_version = 1;`);
  }

  load(): readonly WorkspaceRecord[] {
    return this.rows("workspaces").flatMap((text) => {
      const record = JSON.parse(text) as WorkspaceRecord;
      const state = workspaceMachine.parseState(record.state);
      if (state.ok) return [{ ...record, state: state.value }];
      this.onDamage(`the state of the workspace ${record.id} is not one that can be`);
      return [];
    });
  }

  save(record: WorkspaceRecord, event: WorkspaceEvent | null): void {
    this.database.transaction(() => {
      this.put("workspaces", record.id, JSON.stringify(record));
      if (event) this.append(record, event);
    });
  }

  remove(id: string): void {
    this.database.transaction(() => {
      this.database.prepare("DELETE FROM workspaces WHERE id = ?").run([id]);
      this.database.prepare("DELETE FROM workspace_events WHERE workspace_id = ?").run([id]);
    });
  }

  projects(): readonly Project[] {
    return this.rows("projects").flatMap((text) => {
      const project = JSON.parse(text) as Project;
      // One from before there was a setting has it as nobody has set it.
      const parsed = projectSchema.safeParse({
        ...project,
        settings: { ...NO_SETTINGS, ...project.settings },
      });
      if (parsed.success) return [parsed.data];
      this.onDamage(`the project ${project.id} is not one that can be`);
      return [];
    });
  }

  saveProject(project: Project): void {
    this.put("projects", project.id, JSON.stringify(project));
  }

  /** Into a backup. Throws a `JournalError`. */
  copyInto(file: string): void {
    copyInto(this.database, file);
  }

  close(): void {
    this.database.close();
  }

  private put(table: "projects" | "workspaces", id: string, body: string): void {
    this.database
      .prepare(`INSERT OR REPLACE INTO ${table} (id, body, crc) VALUES (?, ?, ?)`)
      .run([id, body, checksumOf([], [id, body])]);
  }

  private append({ id, updatedAtMs }: WorkspaceRecord, event: WorkspaceEvent): void {
    const body = JSON.stringify(event);
    this.database
      .prepare("INSERT INTO workspace_events (workspace_id, at_ms, body, crc) VALUES (?, ?, ?, ?)")
      .run([id, updatedAtMs, body, checksumOf([updatedAtMs], [id, body])]);
    this.database
      .prepare(
        `DELETE FROM workspace_events WHERE workspace_id = ? AND n <=
           (SELECT n FROM workspace_events WHERE workspace_id = ? ORDER BY n DESC LIMIT 1 OFFSET ${EVENTS_MAX})`,
      )
      .run([id, id]);
  }

  private rows(table: "projects" | "workspaces"): readonly string[] {
    const rows = this.database.rows(
      `SELECT ${textColumn("id")}, ${textColumn("body")}, ${numberColumn("crc")} FROM ${table}`,
    ) as readonly { id: StoredText; body: StoredText; crc: StoredChecksum }[];
    return rows.flatMap(({ id, body, crc }) => {
      if (isIntact(crc, [], [id, body])) return [textOf(body)];
      this.onDamage(`a row of ${table} is not as it was written`);
      return [];
    });
  }
}
