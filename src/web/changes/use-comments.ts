import { useCallback, useEffect, useRef, useState } from "react";
import type { AddComment, Comment } from "../../protocol/review.js";
import { useClient } from "../../react/hooks.js";
import { newClientId } from "../session/requests.js";
import { useActions, type Actions } from "../session/use-action.js";

export interface Comments {
  readonly all: readonly Comment[];
  readonly open: number;
  readonly actions: Actions;
  readonly add: (comment: AddComment) => Promise<boolean>;
  readonly patch: (id: string, change: { text?: string; state?: "open" | "resolved" }) => Promise<boolean>;
  readonly remove: (id: string) => Promise<boolean>;
  /** All open ones, as one message. */
  readonly send: (text: string) => Promise<boolean>;
}

/** `epoch`: when it changes, they are read again. */
export function useComments(id: string, epoch: string): Comments {
  const client = useClient();
  const actions = useActions();
  const [all, setAll] = useState<readonly Comment[]>([]);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let isOver = false;
    client.listComments(id).then(
      ({ items }) => {
        if (!isOver) setAll(items);
      },
      () => {
        // The daemon is away, which the page says elsewhere; they are read again.
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, id, epoch, asked]);
  const { run } = actions;
  /** Of a review whose answer was lost: tried again, it is sent once. */
  const sending = useRef<{ readonly text: string; readonly clientId: string } | null>(null);
  const send = async (text: string): Promise<void> => {
    if (sending.current?.text !== text) sending.current = { text, clientId: newClientId() };
    const { clientId } = sending.current;
    await client.sendReview(id, { ...(text.trim() === "" ? {} : { text }), clientId });
    sending.current = null;
  };
  const act = useCallback(
    async (name: string, call: () => Promise<unknown>) => {
      const isDone = await run(name, call);
      setAsked((count) => count + 1);
      return isDone;
    },
    [run],
  );
  return {
    all,
    open: all.filter(({ state }) => state === "open").length,
    actions,
    add: (comment) => act("comment", () => client.addComment(id, comment)),
    patch: (commentId, change) => act("comment", () => client.patchComment(id, commentId, change)),
    remove: (commentId) => act("comment", () => client.deleteComment(id, commentId)),
    send: (text) => act("send", () => send(text)),
  };
}
