/** What every journal must do. Each case gets an empty one. */
import { afterEach, beforeEach, describe, test } from "vitest";
import type { Journal } from "../../src/runtime/ports.js";
import { COMMIT_CASES } from "./journal-commit-cases.js";
import { COMPACTION_CASES } from "./journal-compaction-cases.js";
import { READ_CASES } from "./journal-read-cases.js";

export interface JournalUnderTest {
  readonly journal: Journal;
  /** Closes it, and opens it again with what it has stored. */
  readonly reopen: () => Promise<Journal>;
  readonly end: () => Promise<void>;
}

export type JournalCases = Readonly<Record<string, (subject: JournalUnderTest) => Promise<void>>>;

export function describeJournal(name: string, start: () => Promise<JournalUnderTest>): void {
  describe(name, () => {
    let subject: JournalUnderTest;
    beforeEach(async () => {
      subject = await start();
    });
    afterEach(() => subject.end());

    const cases = Object.entries({ ...COMMIT_CASES, ...READ_CASES, ...COMPACTION_CASES });
    test.each(cases)("%s", (_name, check) => check(subject));
  });
}
