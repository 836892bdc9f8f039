import { memo, type ReactNode } from "react";
import type { FileChangeItem } from "../../protocol/changes.js";
import { LineCounts } from "../parts/line-counts.js";
import { proseText } from "../session/text/visible-text.js";

interface Props {
  readonly items: readonly FileChangeItem[];
  readonly current: number;
  readonly isViewed: (item: FileChangeItem) => boolean;
  /** Comments that are open, by path. */
  readonly open: ReadonlyMap<string, number>;
  readonly onChoose: (file: number) => void;
}

const SHOWN_MAX = 1_000;
const MARKS: Readonly<Record<FileChangeItem["status"], string>> = {
  added: "A",
  deleted: "D",
  modified: "M",
  renamed: "R",
  type_changed: "T",
};

/** The changed files, by folder, in the order of the diff. */
export const FileTree = memo(function FileTree({
  items,
  current,
  isViewed,
  open,
  onChoose,
}: Props): ReactNode {
  const shown = items.slice(0, SHOWN_MAX);
  return (
    <nav aria-label="Changed files">
      <ul className="file-tree">
        {shown.map((item, file) => {
          const folder = folderOf(item.path);
          const before = shown[file - 1];
          const begins = before === undefined || folderOf(before.path) !== folder;
          return (
            <li key={item.path}>
              {begins && <p className="file-folder">{proseText(folder)}</p>}
              <button
                className="file-entry"
                aria-current={file === current}
                data-viewed={isViewed(item)}
                title={item.oldPath === null ? undefined : `was ${proseText(item.oldPath)}`}
                onClick={() => onChoose(file)}
              >
                <span className="file-mark" data-status={item.status} aria-hidden>
                  {isViewed(item) ? "✓" : MARKS[item.status]}
                </span>
                <span className="file-name">
                  {proseText(item.path.slice(item.path.lastIndexOf("/") + 1))}
                </span>
                <span className="visually-hidden">
                  , {item.status.replace("_", " ")}
                  {isViewed(item) ? ", viewed" : ""}
                </span>
                {(open.get(item.path) ?? 0) > 0 && (
                  <span className="file-comments">
                    {open.get(item.path)}
                    <span className="visually-hidden"> open comments</span>
                  </span>
                )}
                <Counts item={item} />
              </button>
            </li>
          );
        })}
      </ul>
      {items.length > shown.length && (
        <p className="quiet file-folder">{items.length - shown.length} more files</p>
      )}
    </nav>
  );
});

export function Counts({ item: { added, removed } }: { readonly item: FileChangeItem }): ReactNode {
  if (added === null || removed === null) return <span className="file-counts quiet">no text</span>;
  return (
    <span className="file-counts">
      <LineCounts total={{ added, removed }} />
    </span>
  );
}

function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? "root" : path.slice(0, end);
}
