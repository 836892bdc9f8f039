/** The care of a running daemon's journal: how it is, and copies of it. */
import { statSync } from "node:fs";
import type { BackupMade, HealthCheck, HealthReport } from "../../protocol/api-schemas.js";
import type { SqliteJournal } from "../../journal/sqlite/sqlite-journal.js";
import type { KeeperOrigin, KeeperState } from "../runs/keeper-link.js";
import { diskCheck, journalCheck, ok, privacyCheck, wrong } from "./checks.js";
import type { DamageReport } from "./damage-report.js";

export interface Care {
  /** `examine`: all of the journal is read, too. */
  health(examine: boolean): Promise<HealthReport>;
  /** Rejects with a `JournalError`. */
  backup(file: string): Promise<BackupMade>;
  /** What can go wrong at any moment: the journal, the disk, the keeper. Cheap. */
  liveChecks(): Promise<readonly HealthCheck[]>;
  /** The journal is damaged: nothing can be changed. */
  readonly isReadOnly: boolean;
}

export interface CareOptions {
  readonly dataDir: string;
  readonly journal: SqliteJournal;
  readonly damage: DamageReport;
  readonly keeper: () => KeeperState;
  /** Why the journal could not be written just now; null: it could, or nobody tried. */
  readonly writeFailure: () => string | null;
  /** How walls are, of the settings that count everywhere. */
  readonly wall: () => Promise<HealthCheck>;
  readonly sessions: () => Iterable<{ readonly id: string; readonly settings: { readonly env: object } }>;
}

export function careOf(options: CareOptions): Care {
  const { dataDir, journal, damage, writeFailure } = options;
  const liveChecks = async (examine = false): Promise<readonly HealthCheck[]> => {
    const known = {
      problems: journal.problems,
      damaged: damage.entries,
      damagedCount: damage.entries.length,
    };
    const read = examine && journal.problems.length === 0 ? await journal.examine() : known;
    return [
      journalCheck(read, { writeFailure: writeFailure(), notes: journal.notes }),
      await diskCheck(dataDir, writeFailure())(),
      keeperCheck(options.keeper()),
      await options.wall(),
    ];
  };
  return {
    liveChecks: () => liveChecks(),
    get isReadOnly() {
      return journal.problems.length > 0;
    },
    async health(examine) {
      const checks = [...(await liveChecks(examine)), secretsCheck(journal), await privacyCheck(dataDir)()];
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

export function keeperCheck(keeper: KeeperState): HealthCheck {
  switch (keeper.type) {
    case "connected":
      return connectedCheck(keeper.origin);
    case "silent":
      return wrong(
        "keeper",
        "it does not answer",
        "Agents go on; what you send them waits. Should it stay so, signalbox down --all ends it and its agents.",
      );
    case "away":
      return wrong(
        "keeper",
        "it has ended or cannot be reached, and agents cannot be told anything",
        "The daemon starts it again by itself. See keeper.log in the data folder.",
      );
    case "held":
      return wrong("keeper", "it is not asked: the journal is damaged", "Repair the journal first.");
  }
}

/** One of another version serves, so all is well; what it means for its agents is said all the same. */
function connectedCheck({ kind, release, ours }: KeeperOrigin): HealthCheck {
  switch (kind) {
    case "ours":
      return ok("keeper", "it answers");
    case "older":
      return {
        ...ok(
          "keeper",
          `it answers; it is of an older Signalbox (${release ?? "which one it does not say"})`,
        ),
        remedy: `It runs the agents that were started before the upgrade, and gives way to one of ${ours} when the daemon starts and no agent runs. signalbox down --all, then signalbox up: at once, and its agents end.`,
      };
    case "newer":
      return {
        ...ok("keeper", `it answers; it is of a newer Signalbox (${release}) than this daemon (${ours})`),
        remedy: `Use signalbox ${release} again: signalbox up of it replaces this daemon, and agents go on.`,
      };
    case "too_new":
      return wrong(
        "keeper",
        `it is of a newer Signalbox (${release ?? "which one it does not say"}), and this daemon (${ours}) does not know its protocol`,
        "Start the daemon with that Signalbox again, and agents go on; or signalbox down --all ends them, and signalbox up starts anew.",
      );
  }
}
