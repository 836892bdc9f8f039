/** What is known to be damaged in the journal, said loudly once, and kept for whoever asks. */
import { READ_ONLY_SENTENCE } from "../../journal/damage-words.js";
import { damageSentence } from "../../journal/damaged-entry.js";
import type { Damage } from "../../journal/sqlite/entry-reader.js";
import type { JournalReports } from "../../journal/sqlite/sqlite-journal.js";
import type { Log } from "../log/log.js";

const ENTRIES_MAX = 1_000;

export class DamageReport implements JournalReports {
  private readonly found = new Map<number, Damage>();

  constructor(private readonly log: Pick<Log, "error">) {}

  readonly onProblem = (problem: string): void => {
    this.log.error(READ_ONLY_SENTENCE, { problem });
  };

  readonly onDamage = (damage: Damage): void => {
    if (this.found.has(damage.position) || this.found.size >= ENTRIES_MAX) return;
    this.found.set(damage.position, damage);
    this.log.error(damageSentence(damage.sessionId ?? "unknown", damage.position), {
      session_id: damage.sessionId,
      position: damage.position,
    });
  };

  /** Entries that were read and are damaged, as far as they are known. */
  get entries(): readonly Damage[] {
    return [...this.found.values()];
  }
}
