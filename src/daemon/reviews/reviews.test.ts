/** Comments and reviews: a real repository and a real file; the journal is in memory, so that it can fail at any point. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Changes } from "../../changes/changes.js";
import { TOKEN_PRINCIPAL } from "../../protocol/principal.js";
import type { Receipt } from "../../runtime/ports.js";
import type { Answer } from "../../runtime/submission.js";
import { lookAtGit } from "../../wall/git-facts.js";
import { ReviewStore } from "./review-store.js";
import { Reviews, type ReviewsOptions } from "./reviews.js";

let folder: string;
let cwd: string;
let changes: Changes;
const stores: ReviewStore[] = [];
/** What the agent was told, and by which name. */
let told: { readonly clientId: string; readonly text: string }[];
let fails: "no" | "before" | "after" | "refused";
const by = TOKEN_PRINCIPAL;

function git(...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });
}

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-reviews-")));
  cwd = join(folder, "repository");
  execFileSync("git", ["init", "-q", cwd]);
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  changes = new Changes({
    dataDir: folder,
    findPlace: async (at) => {
      const facts = await lookAtGit(at, "/nobody");
      return facts && { workTree: at, gitDir: facts.gitDir, commonDir: facts.commonDir };
    },
    wall: () => Promise.resolve(null),
  });
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "a.txt"), "one\n2 ```\nthree\nfour\n");
  told = [];
  fails = "no";
});

afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const session = (): { id: string; settings: never } => ({ id: "s1", settings: { cwd } as never });

function receipt(clientId: string): Receipt | null {
  const found = told.findIndex((each) => each.clientId === clientId);
  if (found === -1) return null;
  const result = JSON.stringify({ ok: true, value: { sessionId: "s1", messageId: `m${found}` } });
  return { principal: "token:token", clientId, fingerprint: "", atMs: 0, result };
}

/** A daemon's, begun on what the last one has left. */
async function open(): Promise<Reviews> {
  const store = new ReviewStore(join(folder, "reviews.db"), (what) => expect.fail(what));
  stores.push(store);
  let ids = 0;
  const options: ReviewsOptions = {
    store,
    changes,
    submit: (submission, draft): Promise<Answer> => {
      if (fails === "before") return Promise.reject(new Error("died"));
      if (fails === "refused")
        return Promise.resolve({ ok: false, code: "state_transition_invalid", message: "no" });
      if (submission.type !== "request" || submission.request.type !== "send_message")
        return expect.fail("no message");
      told.push({ clientId: draft.clientId, text: submission.request.text });
      if (fails === "after") return Promise.reject(new Error("died"));
      return Promise.resolve({ ok: true, value: { sessionId: "s1", messageId: `m${told.length - 1}` } });
    },
    readReceipt: (principal, clientId) =>
      fails === "before" || fails === "after"
        ? Promise.reject(new Error("unreadable"))
        : Promise.resolve(principal === "token:token" ? receipt(clientId) : null),
    newId: () => `id${stores.length}-${++ids}`,
    nowMs: () => 1_000 + ids,
    onProblem: () => undefined,
  };
  const reviews = new Reviews(options);
  await reviews.start(() => true);
  return reviews;
}

async function blobs(): Promise<{ readonly oldBlob: string; readonly newBlob: string }> {
  const { files } = await changes.changes("s1", cwd, { from: { type: "base" }, to: { type: "now" } });
  return { oldBlob: files[0]?.oldBlob ?? "", newBlob: files[0]?.newBlob ?? "" };
}

async function comment(reviews: Reviews, more: object = {}) {
  const { newBlob } = await blobs();
  const given = { path: "a.txt", side: "new", startLine: 2, blob: newBlob, text: "Why?", ...more } as const;
  return reviews.add(session(), given, by);
}

const states = async (reviews: Reviews) => (await reviews.comments(session())).map(({ state }) => state);

test("comments quote what they are pinned to, and one message sends them", async () => {
  const reviews = await open();
  const { oldBlob } = await blobs();
  const made = await comment(reviews, { endLine: 3, clientId: "c" });
  expect(made).toEqual({
    ok: true,
    value: {
      ...{ id: "id1-1", path: "a.txt", side: "new", startLine: 2, endLine: 3, quoted: ["2 ```", "three"] },
      ...{ blob: (await blobs()).newBlob, text: "Why?", state: "open", by },
      ...{ createdAtMs: 1_001, sentAtMs: null, outdated: false },
    },
  });
  // The same request once more is the same comment.
  expect(await comment(reviews, { endLine: 3, clientId: "c" })).toEqual(made);
  await comment(reviews, { side: "old", blob: oldBlob, text: "Keep it." });
  expect(await reviews.send(session(), "Nearly.", null, by)).toEqual({
    ok: true,
    value: { messageId: "m0", comments: 2 },
  });
  expect(told.map(({ text }) => text)).toEqual([
    [
      "Review of your changes: 2 comments.\n\nNearly.\n",
      "1. a.txt, lines 2–3:\n````\n2 ```\nthree\n````\nWhy?\n",
      "2. a.txt, line 2 as it was before your changes:\n```\ntwo\n```\nKeep it.",
    ].join("\n"),
  ]);
  expect(await states(reviews)).toEqual(["sent", "sent"]);
  expect(await reviews.send(session(), null, null, by)).toMatchObject({ ok: false, code: "conflict" });
  expect(statSync(join(folder, "reviews.db")).mode & 0o777).toBe(0o600);
});

test("what cannot be commented on is refused", async () => {
  const reviews = await open();
  expect(await comment(reviews, { startLine: 5 })).toMatchObject({ ok: false, code: "event_invalid" });
  expect(await comment(reviews, { endLine: 1 })).toMatchObject({ ok: false, code: "event_invalid" });
  expect(await comment(reviews, { blob: "0".repeat(40) })).toMatchObject({ ok: false, code: "not_found" });
  expect(await states(reviews)).toEqual([]);
});

test("a comment says that its code has changed, and stays where it was made", async () => {
  const reviews = await open();
  await comment(reviews);
  writeFileSync(join(cwd, "a.txt"), "zero\none\n2 ```\nthree\nfour\n");
  expect(await reviews.comments(session())).toMatchObject([
    { startLine: 2, quoted: ["2 ```"], outdated: true },
  ]);
  await reviews.send(session(), null, null, by);
  expect(told[0]?.text).toContain("(the file has changed since this comment was made)");
});

test("words that were sent stay; a comment is resolved, opened again and deleted", async () => {
  const reviews = await open();
  await comment(reviews);
  expect(await reviews.patch(session(), "id1-1", { text: "Why so?" })).toMatchObject({
    value: { text: "Why so?" },
  });
  await reviews.send(session(), null, null, by);
  expect(await reviews.patch(session(), "id1-1", { text: "No." })).toMatchObject({ code: "conflict" });
  await reviews.patch(session(), "id1-1", { state: "resolved" });
  expect(await states(reviews)).toEqual(["resolved"]);
  await reviews.patch(session(), "id1-1", { state: "open" });
  expect(await states(reviews)).toEqual(["open"]);
  expect([await reviews.remove(session(), "id1-1"), await reviews.remove(session(), "id1-1")]).toEqual([
    true,
    false,
  ]);
  expect(await reviews.patch(session(), "id1-1", {})).toBeNull();
});

test.each(["before", "after"] as const)(
  "a crash %s the message was accepted sends once and loses nothing",
  async (when) => {
    const first = await open();
    await comment(first);
    const request = { clientId: "r", fingerprint: "f" };
    fails = when;
    await expect(first.send(session(), null, request, by)).rejects.toThrow("died");
    expect(await states(first)).toEqual(["open"]);
    fails = "no";
    const second = await open();
    expect(await states(second)).toEqual([when === "after" ? "sent" : "open"]);
    const answer = { ok: true, value: { messageId: "m0", comments: 1 } };
    expect(await second.send(session(), null, request, by)).toEqual(answer);
    expect(await second.send(session(), null, request, by)).toEqual(answer);
    const other = { clientId: "r", fingerprint: "another" };
    expect(await second.send(session(), "More.", other, by)).toMatchObject({ code: "conflict" });
    expect([told.length, await states(second)]).toEqual([1, ["sent"]]);
  },
);

test("a refused message leaves its comments open", async () => {
  const reviews = await open();
  await comment(reviews);
  fails = "refused";
  expect(await reviews.send(session(), null, null, by)).toMatchObject({ code: "state_transition_invalid" });
  expect(await states(reviews)).toEqual(["open"]);
});

test("comments end with their session, also with one that was deleted while no daemon ran", async () => {
  const reviews = await open();
  await comment(reviews);
  await reviews.start(() => false);
  expect(await states(reviews)).toEqual([]);
  await comment(reviews);
  reviews.publish({ removedSessionIds: ["s1"] } as never);
  await expect.poll(() => states(reviews)).toEqual([]);
});
