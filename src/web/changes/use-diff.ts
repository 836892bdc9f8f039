import { useCallback, useEffect, useRef, useState } from "react";
import type { Client } from "../../client/client.js";
import type { ChangesReport, FileChangeItem } from "../../protocol/changes.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { DiffBuilder, type DiffFile } from "./diff-model.js";

/** What is compared: all since the start, or one turn. */
export type Scope = "whole" | number;

export interface Diff {
  readonly report: Omit<ChangesReport, "items" | "nextCursor">;
  readonly files: readonly DiffFile[];
  /** More lines are on their way. */
  readonly isReading: boolean;
  /** There are more lines than a page can hold. */
  readonly isCut: boolean;
}

export interface DiffView {
  readonly diff: Diff | null;
  readonly problem: string | null;
  /** The files are others now than what is shown. */
  readonly isOld: boolean;
  readonly reload: () => void;
}

const FIRST_LINES = 1_000;
const MORE_LINES = 20_000;
const LINES_MAX = 300_000;
const FILES_PAGE = 1_000;
const FILES_MAX = 20_000;
const TRIES = 3;

type Span = { readonly from?: string; readonly to?: string };

function spanOf(scope: Scope): Span {
  return scope === "whole" ? {} : { from: `start:${scope}`, to: `turn:${scope}` };
}

/** `epoch`: when it changes, it is looked whether the files have. */
export function useDiff(id: string, scope: Scope, epoch: string): DiffView {
  const client = useClient();
  const [state, setState] = useState<{ readonly diff: Diff | null; readonly problem: string | null }>(
    NOTHING,
  );
  const [asked, setAsked] = useState(0);
  const [isOld, setOld] = useState(false);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    shown.current = null;
    setOld(false);
    readDiff(client, id, scope, ended.signal, (diff) => {
      shown.current = fingerprint(diff.files.map(({ item }) => item));
      setState({ diff, problem: null });
    }).catch((error: unknown) => {
      if (!ended.signal.aborted) setState({ diff: null, problem: readFailureWords(error) });
    });
    return () => ended.abort();
  }, [client, id, scope, asked]);
  useEffect(() => {
    let isOver = false;
    const look = async (): Promise<void> => {
      const before = shown.current;
      if (before === null) return;
      try {
        const { items } = await readList(client, id, scope);
        if (!isOver && shown.current === before) setOld(fingerprint(items) !== before);
      } catch {
        // The daemon is away, which the page says elsewhere; it is looked again.
      }
    };
    const timer = setTimeout(() => void look(), LOOK_DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, id, scope, epoch]);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  return { ...state, isOld, reload };
}

const NOTHING = { diff: null, problem: null };
const LOOK_DELAY_MS = 500;

function fingerprint(items: readonly FileChangeItem[]): string {
  return items.map(({ path, oldBlob, newBlob }) => `${path}\0${oldBlob ?? ""}\0${newBlob ?? ""}`).join("\n");
}

async function readList(
  client: Client,
  id: string,
  scope: Scope,
): Promise<{ readonly report: Diff["report"]; readonly items: readonly FileChangeItem[] }> {
  const query = { ...spanOf(scope), limit: FILES_PAGE };
  const { items, nextCursor, ...report } = await client.getChanges(id, query);
  const all = [...items];
  for (let cursor = nextCursor; cursor !== undefined && all.length < FILES_MAX;) {
    const page = await client.getChanges(id, { ...query, cursor });
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return { report, items: all };
}

/** The first lines at once, the others as they come. */
async function readDiff(
  client: Client,
  id: string,
  scope: Scope,
  signal: AbortSignal,
  show: (diff: Diff) => void,
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const [{ report, items }, first] = await Promise.all([
      readList(client, id, scope),
      client.getPatch(id, { ...spanOf(scope), limit: FIRST_LINES }),
    ]);
    const builder = new DiffBuilder(items);
    builder.add(first.lines);
    let count = first.lines.length;
    let cursor = first.nextCursor;
    const tell = (): void => {
      const isCut = cursor !== undefined && count >= LINES_MAX;
      if (!signal.aborted)
        show({ report, files: builder.files(), isReading: cursor !== undefined && !isCut, isCut });
    };
    if (builder.isSame) tell();
    while (builder.isSame && cursor !== undefined && count < LINES_MAX && !signal.aborted) {
      const page: Awaited<ReturnType<Client["getPatch"]>> = await client.getPatch(id, {
        ...spanOf(scope),
        cursor,
        limit: MORE_LINES,
      });
      builder.add(page.lines);
      count += page.lines.length;
      cursor = page.nextCursor;
      tell();
    }
    if (builder.isSame || signal.aborted) return;
    if (tried === TRIES) throw new Error("The files change while they are read. Try again.");
  }
}
