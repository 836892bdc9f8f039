import { memo, useMemo, useState, type ReactNode } from "react";
import { isLongText, LongText } from "./long-text.js";
import { outputText } from "./visible-text.js";

interface Props {
  readonly text: string;
  /** What is being printed shows its end, and so does what failed; what is over, its beginning. */
  readonly showsEnd?: boolean;
  readonly linesMax?: number;
  readonly label: string;
}

const MORE_LINES = 2_000;

/** What a program printed: a few lines of it, and more when somebody wants them. */
export const OutputView = memo(function OutputView(props: Props): ReactNode {
  const { text, showsEnd = false, linesMax = 8, label } = props;
  const [shown, setShown] = useState(linesMax);
  const lines = useMemo(() => outputText(text).replace(/\n+$/, "").split("\n"), [text]);
  const isTail = showsEnd && shown === linesMax;
  const part = (isTail ? lines.slice(-shown) : lines.slice(0, shown)).join("\n");
  const left = lines.length - shown;
  if (text.trim() === "") return null;
  return (
    <div className="output">
      {isTail && left > 0 && (
        <button className="fold-button" onClick={() => setShown(shown + MORE_LINES)}>
          {left.toLocaleString("en")} {left === 1 ? "line" : "lines"} above
        </button>
      )}
      <pre className="output-text" tabIndex={0} role="group" aria-label={label}>
        {isLongText(part) ? <LongText text={part} /> : part}
      </pre>
      {!isTail && left > 0 && (
        <button className="fold-button" onClick={() => setShown(shown + MORE_LINES)}>
          {left > MORE_LINES
            ? `Show ${MORE_LINES.toLocaleString("en")} of ${left.toLocaleString("en")} more lines`
            : `Show ${left.toLocaleString("en")} more ${left === 1 ? "line" : "lines"}`}
        </button>
      )}
      {shown > linesMax && (
        <button className="fold-button" onClick={() => setShown(linesMax)}>
          Show less
        </button>
      )}
    </div>
  );
});
