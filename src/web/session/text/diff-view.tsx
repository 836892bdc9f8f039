import { memo, useMemo, useState, type ReactNode } from "react";
import { diffCounts, diffLines } from "./diff-lines.js";
import { isLongText, LongText } from "./long-text.js";
import { exactText } from "./visible-text.js";

const MORE_LINES = 1_000;
const LINE_LENGTH_MAX = 2_000;

interface Props {
  readonly diff: string;
  /** How many lines are there before somebody wants more. */
  readonly linesMax?: number;
}

/** Readable without colours: every line keeps its sign. */
export const DiffView = memo(function DiffView({ diff, linesMax = 24 }: Props): ReactNode {
  const lines = useMemo(() => diffLines(diff), [diff]);
  const [shown, setShown] = useState(linesMax);
  const { added, removed } = diffCounts(lines);
  const left = lines.length - shown;
  return (
    <figure className="diff">
      <figcaption className="visually-hidden">
        {added} {added === 1 ? "line" : "lines"} added, {removed} removed
      </figcaption>
      <div className="diff-lines" tabIndex={0} role="group" aria-label="Change">
        <div className="diff-table">
          {lines.slice(0, shown).map(({ type, sign, text }, index) => (
            <div key={index} className="diff-line" data-type={type}>
              <span className="diff-sign">{sign}</span>
              <span className="diff-text">
                <LineText text={exactText(text)} />
              </span>
            </div>
          ))}
        </div>
      </div>
      {left > 0 && (
        <button className="fold-button" onClick={() => setShown(shown + MORE_LINES)}>
          Show {Math.min(left, MORE_LINES).toLocaleString("en")} more lines
        </button>
      )}
    </figure>
  );
});

/** Of a long line the beginning, and all of it when somebody wants it. */
function LineText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const left = text.length - LINE_LENGTH_MAX;
  if (left <= 0) return text || " ";
  if (isWhole) return isLongText(text) ? <LongText text={text} /> : text;
  return (
    <>
      {text.slice(0, LINE_LENGTH_MAX)}
      <button className="fold-button" onClick={() => setWhole(true)}>
        Show {left.toLocaleString("en")} more characters
      </button>
    </>
  );
}
