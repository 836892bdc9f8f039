import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import type { FileChangeItem } from "../../protocol/changes.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { PHONE, useMedia } from "../parts/use-media.js";
import { proseText } from "../session/text/visible-text.js";
import { CommentCard, linesOf } from "./comment-card.js";
import { CommentForm } from "./comment-form.js";
import { DiffList, type DiffScroller } from "./diff-list.js";
import {
  fileKey,
  formKey,
  foundIn,
  hunkStarts,
  rowsOf,
  type DiffFile,
  type Range,
  type Row,
} from "./diff-model.js";
import { SplitLine, UnifiedLine } from "./diff-row.js";
import { Counts, FileTree } from "./file-tree.js";
import { Highlighter, useHighlights } from "./highlighter.js";
import type { Comments } from "./use-comments.js";
import type { Diff, Scope } from "./use-diff.js";
import { useSelection, type Selection } from "./use-selection.js";
import { useViewed, type Viewed } from "./viewed.js";

interface Props {
  readonly diff: Diff;
  readonly scope: Scope;
  readonly setScope: (scope: Scope) => void;
  readonly comments: Comments;
  readonly canComment: boolean;
  readonly isOld: boolean;
  readonly reload: () => void;
}

const COLUMNS_MAX = 500;

/** The tree beside the lines. */
export function DiffPane(props: Props): ReactNode {
  const { diff, comments, canComment, isOld, reload } = props;
  const { files } = diff;
  const viewed = useViewed();
  const isPhone = useMedia(PHONE);
  const [isSplitWanted, setSplit] = useSplit();
  const isSplit = isSplitWanted && !isPhone;
  const [form, setForm] = useState<Range | null>(null);
  const [current, setCurrent] = useState(0);
  const [areFilesShown, showFiles] = useState(false);
  const scroller = useRef<DiffScroller>(null);
  const rows = useRows(files, comments, { isSplit, viewed, form });
  const selection = useSelection({
    ...{ rows, files, scroller },
    onComment: (range) => canComment && setForm(range),
  });
  const search = useSearch(rows, selection);
  const goToFile = (file: number): void => {
    // The lines have their room only when the list is away.
    flushSync(() => {
      selection.clear();
      showFiles(false);
    });
    scroller.current?.showFirst(fileKey(file));
  };
  const item = files[current]?.item;
  const toggleViewed = (): void => {
    if (!item) return;
    const isSeen = !viewed.has(item);
    flushSync(() => {
      if (isSeen) selection.clear();
      viewed.toggle(item);
    });
    if (isSeen && current + 1 < files.length) goToFile(current + 1);
  };
  useKeys({ rows, selection, canComment, current, files, goToFile, toggleViewed, setForm, search, setSplit });
  useEffect(() => {
    // Its height is known in the next frame. Whoever scrolls away from it has done so.
    if (form !== null) requestAnimationFrame(() => scroller.current?.show(formKey(form)));
  }, [form]);
  useEffect(() => {
    if (isOld && form === null && scroller.current?.isAtTop() === true) reload();
  }, [isOld, form, reload]);
  const render = useRender({ files, selection, words: search.words, comments, canComment, form, setForm });
  const columns = useMemo(() => columnsOf(files), [files]);
  const onFirst = useCallback((row: number) => setCurrent(rows[row]?.file ?? 0), [rows]);
  return (
    <div className="diff-pane" data-files={areFilesShown}>
      <Side {...props} {...{ viewed, current, goToFile, search, areFilesShown, showFiles }} />
      <div className="changes-lines" {...selection.handlers}>
        {isOld && <OldNote reload={reload} />}
        <DiffList
          {...{ rows, columns, isSplit, scroller }}
          label="Lines of the changes"
          renderRow={render}
          onFirst={onFirst}
          bar={
            item && (
              <FileBar {...{ item, isSplit, isPhone, setSplit, toggleViewed }} isViewed={viewed.has(item)} />
            )
          }
        />
      </div>
    </div>
  );
}

function OldNote({ reload }: { readonly reload: () => void }): ReactNode {
  return (
    <p className="diff-old" role="status">
      The files have changed since.{" "}
      <button className="link-button" onClick={reload}>
        Show them as they are now
      </button>
    </p>
  );
}

interface RowChoices {
  readonly isSplit: boolean;
  readonly viewed: Viewed;
  readonly form: Range | null;
}

function useRows(files: readonly DiffFile[], comments: Comments, choices: RowChoices): readonly Row[] {
  const { isSplit, viewed, form } = choices;
  const { has } = viewed;
  const { all } = comments;
  return useMemo(() => {
    const folded = new Set(files.flatMap(({ item }, at) => (has(item) ? [at] : [])));
    return rowsOf(files, { isSplit, folded, comments: all, form });
  }, [files, isSplit, has, all, form]);
}

const SPLIT_KEY = "signalbox.diff";

function useSplit(): readonly [boolean, (change: (before: boolean) => boolean) => void] {
  const [isSplit, setSplit] = useState(() => {
    try {
      return localStorage.getItem(SPLIT_KEY) === "split";
    } catch {
      return false;
    }
  });
  useEffect(() => {
    try {
      localStorage.setItem(SPLIT_KEY, isSplit ? "split" : "unified");
    } catch {
      // It is so until the page is left.
    }
  }, [isSplit]);
  return [isSplit, setSplit];
}

interface Search {
  readonly words: string;
  readonly set: (words: string) => void;
  /** As a person counts them; 0: none was gone to yet. */
  readonly at: number;
  readonly count: number;
  readonly go: (step: 1 | -1) => void;
  readonly leave: () => void;
}

function useSearch(rows: readonly Row[], selection: Selection): Search {
  const [typed, set] = useState("");
  const words = useDeferredValue(typed.trim());
  const found = useMemo(() => foundIn(rows, words), [rows, words]);
  const at = found.indexOf(selection.cursor);
  return {
    words,
    set,
    at: at + 1,
    count: found.length,
    go(step) {
      const { cursor } = selection;
      const next = step === 1 ? found.find((row) => row > cursor) : found.findLast((row) => row < cursor);
      const row = next ?? (step === 1 ? found[0] : found.at(-1));
      if (row !== undefined) selection.moveTo(row, { focus: false });
    },
    leave: selection.refocus,
  };
}

interface Keys {
  readonly rows: readonly Row[];
  readonly files: readonly DiffFile[];
  readonly selection: Selection;
  readonly canComment: boolean;
  readonly current: number;
  readonly goToFile: (file: number) => void;
  readonly toggleViewed: () => void;
  readonly setForm: (range: Range) => void;
  readonly search: Search;
  readonly setSplit: (change: (before: boolean) => boolean) => void;
}

function useKeys(keys: Keys): void {
  const { rows, files, selection, canComment, current, goToFile, toggleViewed, setForm, setSplit } = keys;
  const starts = useMemo(() => hunkStarts(rows), [rows]);
  const goToHunk = (step: 1 | -1): void => {
    // Where no line is chosen, it begins with the file in sight.
    const cursor =
      selection.cursor === -1 ? rows.findIndex(({ key }) => key === fileKey(current)) : selection.cursor;
    const next = step === 1 ? starts.find((row) => row > cursor) : starts.findLast((row) => row < cursor);
    if (next !== undefined) selection.moveTo(next);
  };
  const comment = (): void => {
    const range = selection.range();
    if (range) setForm(range);
    else goToHunk(1);
  };
  const toggleSplit = (): void => {
    setSplit((before) => !before);
    // The line is drawn anew.
    selection.refocus();
  };
  const focusSearch = (): void => document.querySelector<HTMLElement>(".diff-search")?.focus();
  useShortcuts("Changes", [
    { keys: "j", label: "Next change", run: () => goToHunk(1), repeats: true },
    { keys: "k", label: "Change before", run: () => goToHunk(-1), repeats: true },
    { keys: "]", label: "Next file", run: () => goToFile(Math.min(current + 1, files.length - 1)) },
    { keys: "[", label: "File before", run: () => goToFile(Math.max(0, current - 1)) },
    { keys: "v", label: "Viewed, and on to the next file", run: toggleViewed },
    { keys: "u", label: "Unified or split", run: toggleSplit },
    { keys: "/", label: "Search in the changes", run: focusSearch },
    ...(canComment ? [{ keys: "c", label: "Comment on the chosen lines", run: comment }] : []),
  ]);
}

interface RenderParts {
  readonly files: readonly DiffFile[];
  readonly selection: Selection;
  readonly words: string;
  readonly comments: Comments;
  readonly canComment: boolean;
  readonly form: Range | null;
  readonly setForm: (range: Range | null) => void;
}

function useRender(parts: RenderParts): (row: Row, index: number) => ReactNode {
  const { files, selection, words, comments, canComment, setForm } = parts;
  const [highlighter] = useState(() => new Highlighter());
  const draft = useRef<{ readonly text: string; readonly range: Range } | null>(null);
  useHighlights(highlighter);
  const close = (): void => {
    draft.current = null;
    setForm(null);
    selection.refocus();
  };
  const add = async (range: Range, text: string): Promise<void> => {
    const item = files.find((file) => file.item.path === range.path)?.item;
    const blob = range.side === "old" ? item?.oldBlob : item?.newBlob;
    if (!blob || !(await comments.add({ ...range, blob, text }))) return;
    close();
  };
  return (row, index) => {
    const file = files[row.file];
    const chosen = { row: index, words, isCursor: index === selection.cursor, canComment };
    const spansAt = (at: number | undefined) =>
      file && at !== undefined ? highlighter.spans(file, at) : null;
    const mark = selection.isSelected(index) && <span className="diff-selected" />;
    switch (row.type) {
      case "file":
        return file && <FileName item={file.item} />;
      case "note":
      case "hunk":
        return <span className="diff-plain">{proseText(row.text)}</span>;
      case "line":
        return (
          <>
            {mark}
            <UnifiedLine {...chosen} line={row.line} spans={spansAt(row.at)} />
          </>
        );
      case "pair":
        return (
          <>
            {mark}
            <SplitLine
              {...chosen}
              left={row.left}
              right={row.right}
              leftSpans={spansAt(row.left?.at)}
              rightSpans={spansAt(row.right?.at)}
            />
          </>
        );
      case "comment":
        return <CommentCard {...{ comments, canComment }} comment={row.comment} isPlaced={row.isPlaced} />;
      case "form":
        return (
          <CommentForm
            label={`Comment on ${linesOf(row.range)}${row.range.side === "old" ? " before the change" : ""}`}
            initial={draft.current?.text ?? ""}
            takesFocus={draft.current?.range !== row.range}
            submitWords="Comment"
            onText={(text) => {
              draft.current = { text, range: row.range };
            }}
            onSubmit={(text) => add(row.range, text)}
            onCancel={close}
          />
        );
    }
  };
}

function columnsOf(files: readonly DiffFile[]): number {
  let columns = 0;
  for (const { lines } of files)
    for (const { text } of lines) {
      const tabs = text.includes("\t") ? 3 * (text.split("\t").length - 1) : 0;
      columns = Math.max(columns, Math.min(COLUMNS_MAX, text.length + tabs));
    }
  return columns;
}

interface SideProps extends Props {
  readonly viewed: Viewed;
  readonly current: number;
  readonly goToFile: (file: number) => void;
  readonly search: Search;
  readonly areFilesShown: boolean;
  readonly showFiles: (areShown: boolean) => void;
}

function Side(props: SideProps): ReactNode {
  const { diff, scope, setScope, comments, viewed, current, goToFile, search, areFilesShown, showFiles } =
    props;
  const items = useMemo(() => diff.files.map(({ item }) => item), [diff.files]);
  const open = useMemo(() => openByPath(comments.all), [comments.all]);
  const left = items.filter((item) => !viewed.has(item)).length;
  return (
    <div className="diff-side">
      <div className="diff-tools">
        <button
          className="button button-small diff-files-button"
          aria-expanded={areFilesShown}
          onClick={() => showFiles(!areFilesShown)}
        >
          Files {items.length}
        </button>
        <select
          className="select diff-scope"
          aria-label="What is compared"
          value={String(scope)}
          onChange={(event) =>
            setScope(event.target.value === "whole" ? "whole" : Number(event.target.value))
          }
        >
          <option value="whole">Whole session</option>
          {diff.report.turns
            .filter((turn) => turn > 0)
            .map((turn) => (
              <option key={turn} value={turn}>
                Turn {turn}
              </option>
            ))}
        </select>
        <input
          className="input diff-search"
          type="search"
          aria-label="Search in the changes"
          placeholder="Search…"
          onChange={(event) => search.set(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") search.go(event.shiftKey ? -1 : 1);
            if (event.key !== "Escape") return;
            event.currentTarget.blur();
            search.leave();
          }}
        />
      </div>
      <p className="diff-count quiet" role="status">
        {search.words === ""
          ? `${items.length} ${items.length === 1 ? "file" : "files"}, ${left} to view${diff.isReading ? ", reading…" : ""}`
          : `${search.at} of ${search.count.toLocaleString("en")} lines found`}
      </p>
      <div className="diff-tree">
        <FileTree {...{ items, current, open }} isViewed={viewed.has} onChoose={goToFile} />
        {diff.report.skipped.map(({ path, why }) => (
          <p key={path} className="quiet file-folder">
            Not kept: {proseText(path)}, {why === "large" ? "larger than 10 MiB" : "a repository of its own"}
          </p>
        ))}
        {diff.isCut && (
          <p className="quiet file-folder">There is more than is shown: signalbox diff has all.</p>
        )}
      </div>
    </div>
  );
}

function openByPath(comments: Comments["all"]): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  for (const { path, state } of comments) if (state === "open") open.set(path, (open.get(path) ?? 0) + 1);
  return open;
}

function FileName({ item }: { readonly item: FileChangeItem }): ReactNode {
  return (
    <span className="diff-file">
      <strong className="diff-path">
        {proseText(item.oldPath === null ? item.path : `${item.oldPath} → ${item.path}`)}
      </strong>{" "}
      <Counts item={item} />
    </span>
  );
}

interface BarProps {
  readonly item: FileChangeItem;
  readonly isViewed: boolean;
  readonly isSplit: boolean;
  readonly isPhone: boolean;
  readonly setSplit: (change: (before: boolean) => boolean) => void;
  readonly toggleViewed: () => void;
}

/** Of the file in sight. */
function FileBar({ item, isViewed, isSplit, isPhone, setSplit, toggleViewed }: BarProps): ReactNode {
  return (
    <>
      <FileName item={item} />
      {!isPhone && (
        <span className="diff-modes" role="group" aria-label="How lines are shown">
          <button aria-pressed={!isSplit} onClick={() => setSplit(() => false)}>
            Unified
          </button>
          <button aria-pressed={isSplit} onClick={() => setSplit(() => true)}>
            Split
          </button>
        </span>
      )}
      <label className="diff-viewed">
        <input type="checkbox" checked={isViewed} onChange={toggleViewed} /> viewed{" "}
        <kbd className="keys-note">v</kbd>
      </label>
    </>
  );
}
