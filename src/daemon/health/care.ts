/** The care of a running daemon's journal: how it is, and copies of it. */
import { statSync } from "node:fs";
import type { BackupMade, HealthCheck, HealthReport } from "../../protocol/api-schemas.js";
import type { SqliteJournal } from "../../journal/sqlite/sqlite-journal.js";
import { diskCheck, journalCheck, ok, privacyCheck, wrong } from "./checks.js";
import type { DamageReport } from "./damage-report.js";

export interface Care {
  /** `examine`: all of the journal is read, too. */
  health(examine: boolean): Promise<HealthReport>;
  /** Rejects with a `JournalError`. */
  backup(file: string): Promise<BackupMade>;
}

export interface CareOptions {
  readonly dataDir: string;
  readonly journal: SqliteJournal;
  readonly damage: DamageReport;
  readonly hasKeeper: () => boolean;
  readonly sessions: () => Iterable<{ readonly id: string; readonly settings: { readonly env: object } }>;
}

export function careOf(options: CareOptions): Care {
  const { dataDir, journal, damage } = options;
  return {
    async health(examine) {
      const known = {
        problems: journal.problems,
        damaged: damage.entries,
        damagedCount: damage.entries.length,
      };
      const read = examine && journal.problems.length === 0 ? await journal.examine() : known;
      const checks = [
        journalCheck(read),
        secretsCheck(journal),
        await diskCheck(dataDir)(),
        await privacyCheck(dataDir)(),
        keeperCheck(options),
      ];
      return { ok: checks.every((check) => check.ok), readOnly: journal.problems.length > 0, checks };
    },
    async backup(file) {
      await journal.backup(file);
      const sessions = [...options.sessions()];
      const missing = sessions
        .map(({ id, settings }) => ({ sessionId: id, names: Object.keys(settings.env) }))
        .filter(({ names }) => names.length > 0);
      return { file, sizeBytes: statSync(file).size, sessions: sessions.length, withoutSecrets: missing };
    },
  };
}

function secretsCheck({ missingSecrets }: SqliteJournal): HealthCheck {
  if (missingSecrets.length === 0) return ok("secrets", "every session has the values of its variables");
  const named = missingSecrets.map(({ sessionId, names }) => `${sessionId} (${names.join(", ")})`);
  return wrong(
    "secrets",
    `values of variables are missing, because no backup holds them: ${named.join(", ")}`,
    "Start such an agent anew with --env, or put secrets.json back and restart the daemon.",
  );
}

function keeperCheck({ hasKeeper, journal }: CareOptions): HealthCheck {
  if (hasKeeper()) return ok("keeper", "it answers");
  const remedy =
    journal.problems.length > 0
      ? "Repair the journal first."
      : "See keeper.log in the data folder; the daemon starts it again.";
  return wrong("keeper", "there is no connection to it", remedy);
}
