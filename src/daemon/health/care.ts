/** The care of a running daemon's journal: how it is, and copies of it. */
import { rmSync, statSync } from "node:fs";
import type { BackupMade, HealthCheck, HealthReport } from "../../protocol/api-schemas.js";
import type { SqliteJournal } from "../../journal/sqlite/sqlite-journal.js";
import type { KeeperOrigin, KeeperState } from "../runs/keeper-link.js";
import { diskCheck, journalCheck, noted, ok, privacyCheck, workspacesCheck, wrong } from "./checks.js";
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
  readonly workspaces: {
    copyInto(file: string): number;
    readonly damages: readonly string[];
    readonly nearlyFull: readonly string[];
  };
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
      const checks = [
        ...(await liveChecks(examine)),
        workspacesCheck(options.workspaces.damages, options.workspaces.nearlyFull),
        secretsCheck(journal),
        await privacyCheck(dataDir)(),
      ];
      return { ok: checks.every((check) => check.ok), readOnly: journal.problems.length > 0, checks };
    },
    async backup(file) {
      await journal.backup(file);
      const workspaces = withWorkspaces(file, options);
      const sessions = [...options.sessions()];
      const missing = sessions
        .map(({ id, settings }) => ({ sessionId: id, names: Object.keys(settings.env) }))
        .filter(({ names }) => names.length > 0);
      const sizeBytes = statSync(file).size;
      return { file, sizeBytes, sessions: sessions.length, workspaces, withoutSecrets: missing };
    },
  };
}

/** All of it or nothing. */
function withWorkspaces(file: string, { workspaces }: CareOptions): number {
  try {
    return workspaces.copyInto(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function secretsCheck({ missingSecrets }: SqliteJournal): HealthCheck {
  if (missingSecrets.length === 0) return ok("secrets", "every session has the values of its variables");
  const named = missingSecrets.map(({ sessionId, names }) => `${sessionId} (${names.join(", ")})`);
  return wrong("secrets", {
    heading: "Values of variables are missing",
    detail: `no backup holds them, and these sessions had some: ${named.join(", ")}`,
    remedy: "Start such an agent anew with --env, or put secrets.json back and restart the daemon.",
  });
}

const UNREACHABLE = "Agents cannot be reached";
const NO_RELEASE = "which one it does not say";

export function keeperCheck(keeper: KeeperState): HealthCheck {
  switch (keeper.type) {
    case "connected":
      return connectedCheck(keeper.origin);
    case "silent":
      return wrong("keeper", {
        heading: UNREACHABLE,
        detail: "the keeper, which holds the agents, does not answer",
        remedy:
          "Agents go on; what you send them waits. Should it stay so, signalbox down --all ends the keeper and its agents.",
      });
    case "away":
      return wrong("keeper", {
        heading: UNREACHABLE,
        detail: "the keeper, which holds the agents, has ended or cannot be reached",
        remedy: "The daemon starts it again by itself. See keeper.log in the data folder.",
      });
    case "held":
      return wrong("keeper", {
        heading: "Agents are left alone",
        detail: "the keeper, which holds the agents, is not asked, because the journal is damaged",
        remedy: "Repair the journal first.",
      });
  }
}

/** One of another version serves, so all is well; what it means for its agents is said all the same. */
function connectedCheck({ kind, release, ours }: KeeperOrigin): HealthCheck {
  switch (kind) {
    case "ours":
      return ok("keeper", "it answers");
    case "older":
      return noted("keeper", {
        heading: "The keeper is of an older Signalbox",
        detail: `it answers; it is of an older Signalbox (${release ?? NO_RELEASE})`,
        remedy: `It runs the agents that were started before the upgrade, and gives way to one of ${ours} when the daemon starts and no agent runs. signalbox down --all, then signalbox up: at once, and its agents end.`,
      });
    case "newer":
      return noted("keeper", {
        heading: "The keeper is of a newer Signalbox",
        detail: `it answers; it is of a newer Signalbox (${release}) than this daemon (${ours})`,
        remedy: `Use signalbox ${release} again: signalbox up of it replaces this daemon, and agents go on.`,
      });
    case "too_new":
      return wrong("keeper", {
        heading: UNREACHABLE,
        detail: `the keeper is of a newer Signalbox (${release ?? NO_RELEASE}), and this daemon (${ours}) does not know its protocol`,
        remedy:
          "Start the daemon with that Signalbox again, and agents go on; or signalbox down --all ends them, and signalbox up starts anew.",
      });
  }
}
