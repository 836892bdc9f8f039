import { ChangesError } from "../../../changes/points.js";
import type { SessionRecord } from "../../../runtime/session-record.js";
import type { Desk, Handler } from "../call-handler.js";
import { failure, sessionNotFound, type Failure } from "../problem.js";

export const listComments: Handler<"listComments"> = ({ params }, desk) =>
  withReviews(params.id, desk, async ({ record, reviews }) => {
    const items = await reviews.comments(record);
    return { ok: true, value: { items: [...items] } };
  });

export const addComment: Handler<"addComment"> = ({ params, body, caller }, desk) =>
  withReviews(params.id, desk, ({ record, reviews }) => reviews.add(record, body, caller.principal));

export const patchComment: Handler<"patchComment"> = ({ params, body }, desk) =>
  withReviews(params.id, desk, async ({ record, reviews }) => {
    const changed = await reviews.patch(record, params.commentId, body);
    return changed ?? noComment(params.commentId);
  });

export const deleteComment: Handler<"deleteComment"> = ({ params }, desk) =>
  withReviews(params.id, desk, async ({ record, reviews }) =>
    (await reviews.remove(record, params.commentId))
      ? { ok: true, value: null }
      : noComment(params.commentId),
  );

export const sendReview: Handler<"sendReview"> = ({ params, body, receipt, caller }, desk) =>
  withReviews(params.id, desk, ({ record, reviews }) =>
    reviews.send(record, body.text ?? null, receipt, caller.principal),
  );

function noComment(id: string): Failure {
  return failure("not_found", `There is no comment ${id.slice(0, 100)} on this session.`);
}

interface Known {
  readonly record: SessionRecord;
  readonly reviews: NonNullable<Desk["reviews"]>;
}

async function withReviews<T>(
  id: string,
  { board, reviews }: Desk,
  act: (known: Known) => Promise<T>,
): Promise<T | Failure> {
  const record = board.session(id);
  if (!record) return sessionNotFound(id);
  if (!reviews) return failure("not_found", "No comments are kept here.");
  try {
    return await act({ record, reviews });
  } catch (error) {
    if (!(error instanceof ChangesError)) throw error;
    return failure(error.code === "git" ? "conflict" : "not_found", error.message);
  }
}
