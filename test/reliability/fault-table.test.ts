/** Faults that a person meets, and what is read of each: a sentence and what to do, never a stack. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, statSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runSignalbox, type Ended } from "../cli/signalbox.js";
import { flipBytes, flipText, halve } from "../contract/journal-damage.js";
import { TestDaemon } from "../e2e/test-daemon.js";

const REPAIR =
  "End the daemon with signalbox down, then run signalbox repair (with --end-agents while agents run), or signalbox restore FILE with a backup.";
const BAD_PAGE =
  "parts of its file are not as they were written and cannot be read. In detail: database disk image is malformed (SQLITE_CORRUPT), and 1 more";
const READ_ONLY = `The journal is damaged. It is open for reading only, and nothing is changed. ${REPAIR}`;
const CUT_LOG =
  "The journal's log ends in the middle of a transaction, after a crash, a power cut, or because the file was cut. What that transaction held is not in the journal; everything before it is";
const CUT_LOG_TODO =
  "After a crash or a power cut there is nothing to do: whatever was answered as done had been written before. If something else cut the file, signalbox restore FILE brings a backup back.";
const STACK = /\n\s+at /;

let folder = "";
/** The journal of a daemon that was killed: all of it is in its log. */
let killed = "";
/** Of one that ended: there is no log any more. */
let ended = "";
let dataDir = "";
let sessionId = "";
let cases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-faults-"));
  killed = join(folder, "killed");
  ended = join(folder, "ended");
  const daemon = await TestDaemon.start({ dataDir: ended });
  const args = ["sh", "-c", "echo working"];
  const { id } = await daemon.client.createSession({ harness: "terminal", cwd: folder, title: "Work", args });
  sessionId = id;
  mkdirSync(killed, { mode: 0o700 });
  for (const name of ["journal.db", "journal.db-wal"]) copyFileSync(join(ended, name), join(killed, name));
  await daemon.client.shutdown({ agents: true });
  await daemon.exited;
});

beforeEach(() => {
  dataDir = join(folder, `case-${(cases += 1)}`);
  mkdirSync(dataDir, { mode: 0o700 });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const journal = (): string => join(dataDir, "journal.db");
const log = (): string => join(dataDir, "journal.db-wal");

function run(...args: readonly string[]): Promise<Ended> {
  return runSignalbox([...args, "--data-dir", dataDir]);
}

/** Without the checks that are well. */
async function doctor(): Promise<string> {
  const { stdout, stderr } = await run("doctor");
  expect(stdout + stderr).not.toMatch(STACK);
  return (stdout + stderr)
    .replaceAll(/^ok .*\n/gm, "")
    .replaceAll(dataDir, "FOLDER")
    .replaceAll(sessionId, "SESSION");
}

test.each<[string, () => void, string]>([
  [
    "a flipped header",
    () => flipBytes(journal(), 0, 64),
    "BAD journal The journal cannot be opened: FOLDER/journal.db is damaged: its header is not that of a journal, so nothing of it can be read as it is\n" +
      `           ${REPAIR} Nothing was changed.\n`,
  ],
  [
    "a flipped page",
    () => flipBytes(journal(), 3 * 4_096, 4_096),
    `BAD journal The journal is damaged: ${BAD_PAGE}\n` + `           ${READ_ONLY}\n`,
  ],
  [
    "a flipped body",
    () => flipText(journal(), '"type":"start_session"'),
    "BAD journal Part of the journal is damaged: 2 damaged: SESSION position 1, SESSION position 2\n           The rest can be read. signalbox restore FILE brings a backup back; signalbox repair writes a new journal that names what is lost.\n",
  ],
  [
    "a halved file",
    () => halve(journal()),
    "BAD journal The journal cannot be opened: FOLDER/journal.db is damaged: parts of it are missing or are not as they were written, so it cannot be opened. In detail: database disk image is malformed (SQLITE_CORRUPT)\n" +
      `           ${REPAIR} Nothing was changed.\n`,
  ],
])("%s: doctor says it, and what to do", async (_name, damage, sentence) => {
  copyFileSync(join(ended, "journal.db"), journal());
  damage();
  expect(await doctor()).toBe(sentence);
});

/** What a running daemon says of its journal: in `status`, in `doctor`, and to the page. */
async function saidWhileRunning() {
  const daemon = await TestDaemon.start({ dataDir });
  try {
    const { stdout } = await run("status");
    const [checked, { checks }] = [await doctor(), await daemon.client.getHealth()];
    expect(stdout + daemon.log()).not.toMatch(STACK);
    return {
      log: daemon.log(),
      status: stdout.split("\n").filter((line) => /^(?:note|PROBLEM) +The journal/.test(line)),
      doctor: checked,
      health: checks.find(({ name }) => name === "journal"),
    };
  } finally {
    await daemon.end();
  }
}

test("a cut log: the daemon starts, and says what is not there wherever one looks", async () => {
  for (const name of ["journal.db", "journal.db-wal"]) copyFileSync(join(killed, name), join(dataDir, name));
  truncateSync(log(), statSync(log()).size - 3_000);
  const said = await saidWhileRunning();
  expect(said.log).toContain(CUT_LOG);
  expect(said).toMatchObject({
    status: [`note      The journal was cut short: ${CUT_LOG}. ${CUT_LOG_TODO}`],
    health: { ok: true, detail: CUT_LOG, remedy: CUT_LOG_TODO },
  });
  // A note is no fault: the rest of doctor's lines are those of checks that are well.
  expect(said.doctor).toBe(`           ${CUT_LOG_TODO}\n`);
});

test("a cut log: doctor says it without a daemon, too", async () => {
  for (const name of ["journal.db", "journal.db-wal"]) copyFileSync(join(killed, name), join(dataDir, name));
  truncateSync(log(), statSync(log()).size - 3_000);
  const { code, stdout } = await run("doctor");
  expect(stdout).toContain(`ok  journal ${CUT_LOG}\n           ${CUT_LOG_TODO}\n`);
  expect(code).toBe(0);
});

test("a flipped page: the daemon starts for reading only, and says so wherever one looks", async () => {
  copyFileSync(join(ended, "journal.db"), journal());
  flipBytes(journal(), 3 * 4_096, 4_096);
  const { status, health } = await saidWhileRunning();
  expect(status).toEqual([`PROBLEM   The journal is damaged: ${BAD_PAGE}. ${READ_ONLY}`]);
  const heading = "The journal is damaged";
  expect(health).toEqual({ name: "journal", ok: false, heading, detail: BAD_PAGE, remedy: READ_ONLY });
});

test("a flipped page: repair counts nothing that nobody can count", async () => {
  copyFileSync(join(ended, "journal.db"), journal());
  flipBytes(journal(), 3 * 4_096, 4_096);
  const { code, stdout } = await run("repair");
  expect(stdout).toContain("entries could not be read; how many is not known\n");
  expect(stdout).not.toMatch(/\d{7}/);
  expect(code).toBe(0);
});

test("TLS files that do not belong together", async () => {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  for (const out of [join(folder, "other-cert.pem"), cert])
    execFileSync(
      "openssl",
      [...made, "-keyout", out === cert ? join(folder, "other.pem") : key, "-out", out],
      {
        stdio: "ignore",
      },
    );
  const { code, stdout, stderr } = await run("up", "--port", "0", "--tls-cert", cert, "--tls-key", key);
  expect([code, stdout, stderr]).toEqual([
    69,
    "",
    `signalbox: the daemon did not start: the key in ${key} is not that of the certificate in ${cert}\n` +
      "Name a certificate and its key, files that you can read, with --tls-cert and --tls-key.\n",
  ]);
});
