/**
 * Comments on the changes of sessions, and the reviews that send them.
 *
 * A review is written down before its message is submitted, and settled after: the message's receipt, which is kept in the
 * transaction of the message itself, says at any later time whether it was accepted. So a crash in between neither sends
 * it twice nor loses a comment.
 */
import type { Changes } from "../../changes/changes.js";
import { ChangesError } from "../../changes/points.js";
import { principalKey, type Principal } from "../../protocol/principal.js";
import { COMMENTS_MAX, type AddComment, type Comment } from "../../protocol/review.js";
import type { Bus, Committed, Journal } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { Answer, ReceiptDraft, Refused, Submission } from "../../runtime/submission.js";
import { reviewMessage } from "./review-message.js";
import type { KeptComment, KeptReview, ReviewStore } from "./review-store.js";

/** As long as a message may be. */
const MESSAGE_LENGTH_MAX = 500_000;
const QUOTED_LINES_MAX = 50;
const QUOTED_LENGTH_MAX = 500;

export interface ReviewsOptions {
  readonly store: ReviewStore;
  readonly changes: Pick<Changes, "changes" | "blob">;
  readonly submit: (submission: Submission, receipt: ReceiptDraft, by: Principal) => Promise<Answer>;
  readonly readReceipt: Journal["readReceipt"];
  readonly newId: () => string;
  readonly nowMs: () => number;
  readonly onProblem: (what: string, error: unknown) => void;
}

type Session = Pick<SessionRecord, "id" | "settings">;
type Result<T> = { readonly ok: true; readonly value: T } | Refused;
export interface SentReview {
  readonly messageId: string;
  readonly comments: number;
}

const WHOLE = { from: { type: "base" }, to: { type: "now" } } as const;

export class Reviews implements Bus {
  /** One thing at a time with the comments of a session. */
  private readonly tails = new Map<string, Promise<unknown>>();

  constructor(private readonly options: ReviewsOptions) {}

  /** What a daemon that died has left: a review is sent if its message was accepted, and otherwise its comments are open. */
  async start(isSession: (sessionId: string) => boolean): Promise<void> {
    const { store } = this.options;
    for (const sessionId of store.sessionIds()) if (!isSession(sessionId)) store.removeSession(sessionId);
    for (const review of store.reviews(null)) if (review.messageId === null) await this.settle(review);
  }

  close(): void {
    this.options.store.close();
  }

  /** They end with their session. */
  publish({ removedSessionIds }: Committed): void {
    for (const sessionId of removedSessionIds)
      this.inOrder(sessionId, () => this.options.store.removeSession(sessionId)).catch((error: unknown) =>
        this.options.onProblem(`the comments on ${sessionId} stay`, error),
      );
  }

  /** Oldest first. */
  async comments(session: Session): Promise<readonly Comment[]> {
    return this.withAge(session, this.options.store.comments(session.id));
  }

  add(session: Session, given: AddComment, by: Principal): Promise<Result<Comment>> {
    const { store, newId, nowMs } = this.options;
    const { path, side, startLine, endLine = startLine, blob, text, clientId } = given;
    return this.inOrder(session.id, async () => {
      const all = store.comments(session.id);
      const requestKey = keyOf(by, clientId);
      const made = requestKey === null ? undefined : all.find((comment) => comment.requestKey === requestKey);
      if (made) return this.one(session, made);
      if (all.length >= COMMENTS_MAX)
        return refused("conflict", `A session has ${COMMENTS_MAX} comments at most: delete some.`);
      if (endLine < startLine) return refused("event_invalid", "endLine is before startLine.");
      const lines = await this.linesOf(session, blob);
      if (lines === null)
        return refused("not_found", "There is no such content, or it is no text: look at the changes again.");
      if (endLine > lines.length)
        return refused(
          "event_invalid",
          `That content has ${lines.length} lines: there is no line ${endLine}.`,
        );
      const quoted = lines.slice(startLine - 1, Math.min(endLine, startLine - 1 + QUOTED_LINES_MAX)).map(cut);
      const comment: KeptComment = {
        ...{ id: newId(), sessionId: session.id, requestKey, path, side, startLine, endLine, blob, quoted },
        ...{ text, state: "open", by, createdAtMs: nowMs(), sentAtMs: null },
      };
      store.saveComment(comment);
      return this.one(session, comment);
    });
  }

  /** Null: there is no such comment. */
  patch(
    session: Session,
    id: string,
    { text, state }: { readonly text?: string | undefined; readonly state?: "open" | "resolved" | undefined },
  ): Promise<Result<Comment> | null> {
    return this.inOrder(session.id, async () => {
      const comment = this.find(session, id);
      if (!comment) return null;
      if (text !== undefined && comment.state !== "open" && text !== comment.text)
        return refused(
          "conflict",
          "It was sent: its words are what the agent was told. Make another comment.",
        );
      const changed: KeptComment = { ...comment, text: text ?? comment.text, state: state ?? comment.state };
      this.options.store.saveComment(changed);
      return this.one(session, changed);
    });
  }

  /** False: there is no such comment. */
  remove(session: Session, id: string): Promise<boolean> {
    return this.inOrder(session.id, () => {
      const comment = this.find(session, id);
      if (comment) this.options.store.removeComment(comment.id);
      return comment !== undefined;
    });
  }

  /** All open comments as one message to the agent. They are sent when it was accepted, and not before. */
  send(
    session: Session,
    text: string | null,
    request: ReceiptDraft | null,
    by: Principal,
  ): Promise<Result<SentReview>> {
    const { store, newId } = this.options;
    return this.inOrder(session.id, async () => {
      for (const left of store.reviews(session.id))
        if (left.messageId === null && !(await this.settle(left))) return NOT_KNOWN;
      const requestKey = keyOf(by, request?.clientId);
      const known = store.reviews(session.id).find((review) => review.requestKey === requestKey);
      if (requestKey !== null && known) return answerAgain(known, request);
      const open = store.comments(session.id).filter(({ state }) => state === "open");
      if (open.length === 0 && text === null) return refused("conflict", "There is no open comment to send.");
      const message = reviewMessage(text, await this.withAge(session, open));
      if (message.length > MESSAGE_LENGTH_MAX)
        return refused("event_invalid", "All comments together are too long for one message.");
      const review: KeptReview = {
        ...{ id: newId(), sessionId: session.id, requestKey, fingerprint: request?.fingerprint ?? "", by },
        ...{ commentIds: open.map(({ id }) => id), messageId: null },
      };
      store.saveReview(review, []);
      return this.submit(review, message);
    });
  }

  private async submit(review: KeptReview, message: string): Promise<Result<SentReview>> {
    const { sessionId, by } = review;
    const request = { type: "send_message", text: message } as const;
    const answer = await this.options
      .submit({ type: "request", sessionId, request }, receiptOf(review), by)
      .catch(async (error: unknown) => {
        // Whether it was accepted is in the journal, or will be known when that can be read.
        await this.settle(review);
        throw error;
      });
    if (!answer.ok) {
      this.options.store.removeReview(review.id);
      return answer;
    }
    return { ok: true, value: this.sent(review, answer) };
  }

  /** False: that cannot be told now. */
  private async settle(review: KeptReview): Promise<boolean> {
    try {
      const receipt = await this.options.readReceipt(principalKey(review.by), receiptOf(review).clientId);
      // The runtime wrote it, as an answer.
      const answer = receipt === null ? null : (JSON.parse(receipt.result) as Answer);
      if (answer?.ok === true) this.sent(review, answer);
      else this.options.store.removeReview(review.id);
      return true;
    } catch (error) {
      this.options.onProblem(`whether the review ${review.id} was sent is not known yet`, error);
      return false;
    }
  }

  private sent(review: KeptReview, { value }: Extract<Answer, { readonly ok: true }>): SentReview {
    const { store, nowMs } = this.options;
    if (value.messageId === undefined) throw new Error("an accepted message has an id");
    const wanted = new Set(review.commentIds);
    const comments = store.comments(review.sessionId).filter(({ id }) => wanted.has(id));
    const atMs = nowMs();
    store.saveReview(
      { ...review, messageId: value.messageId },
      comments.map((comment) => ({ ...comment, state: "sent", sentAtMs: atMs })),
    );
    return { messageId: value.messageId, comments: review.commentIds.length };
  }

  private find({ id: sessionId }: Session, id: string): KeptComment | undefined {
    return this.options.store.comments(sessionId).find((comment) => comment.id === id);
  }

  private async one(session: Session, comment: KeptComment): Promise<Result<Comment>> {
    const [value] = await this.withAge(session, [comment]);
    if (!value) throw new Error("one comment is one");
    return { ok: true, value };
  }

  /** Whether the content that each was made on is still the one of its file. */
  private async withAge(session: Session, comments: readonly KeptComment[]): Promise<readonly Comment[]> {
    if (comments.length === 0) return [];
    const current = await this.currentBlobs(session);
    return comments.map(({ sessionId: _session, requestKey: _key, ...comment }) => ({
      ...comment,
      outdated: current && !current.has(blobKey(comment.side, comment.path, comment.blob)),
    }));
  }

  private async currentBlobs({ id, settings }: Session): Promise<ReadonlySet<string> | null> {
    try {
      const { files } = await this.options.changes.changes(id, settings.cwd, WHOLE);
      return new Set(
        files.flatMap(({ path, oldBlob, newBlob }) => [
          blobKey("old", path, oldBlob ?? ""),
          blobKey("new", path, newBlob ?? ""),
        ]),
      );
    } catch (error) {
      if (!(error instanceof ChangesError)) throw error;
      return null;
    }
  }

  /** Null: there is none, or it is no text. */
  private async linesOf({ id, settings }: Session, blob: string): Promise<readonly string[] | null> {
    try {
      const content = await this.options.changes.blob(id, settings.cwd, blob);
      if (content.includes(0)) return null;
      const lines = content.toString("utf8").split("\n");
      if (lines.at(-1) === "") lines.pop();
      return lines;
    } catch (error) {
      if (!(error instanceof ChangesError) || error.code !== "git") throw error;
      return null;
    }
  }

  private inOrder<T>(sessionId: string, act: () => T | Promise<T>): Promise<T> {
    const before = this.tails.get(sessionId) ?? Promise.resolve();
    const done = before.then(act);
    const tail = done.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(sessionId, tail);
    void tail.then(() => {
      if (this.tails.get(sessionId) === tail) this.tails.delete(sessionId);
    });
    return done;
  }
}

const NOT_KNOWN: Refused = {
  ok: false,
  code: "internal",
  message: "The journal cannot be read, and whether the last review was sent is not known: try again later.",
};

function refused(code: Refused["code"], message: string): Refused {
  return { ok: false, code, message };
}

function answerAgain(known: KeptReview, request: ReceiptDraft | null): Result<SentReview> {
  if (known.fingerprint !== request?.fingerprint || known.messageId === null)
    return refused("conflict", "This clientId was used for another request.");
  return { ok: true, value: { messageId: known.messageId, comments: known.commentIds.length } };
}

function receiptOf({ id }: KeptReview): ReceiptDraft {
  return { clientId: `review/${id}`, fingerprint: id };
}

function keyOf(by: Principal, clientId: string | undefined): string | null {
  return clientId === undefined ? null : JSON.stringify([principalKey(by), clientId]);
}

function blobKey(side: "old" | "new", path: string, blob: string): string {
  return `${side}\0${path}\0${blob}`;
}

function cut(line: string): string {
  const text = line.replace(/\r$/, "");
  return text.length <= QUOTED_LENGTH_MAX ? text : `${text.slice(0, QUOTED_LENGTH_MAX)}…`;
}
