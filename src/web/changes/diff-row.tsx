import { memo, type ReactNode } from "react";
import { exactText } from "../session/text/visible-text.js";
import { withFound, type CodeSpan } from "./code-spans.js";
import { lineOn, type CodeLine, type Placed, type Side } from "./diff-model.js";

const LENGTH_MAX = 1_000;
const SIGNS = { added: "+", removed: "−", context: " " } as const;

interface LineProps {
  readonly row: number;
  readonly line: CodeLine;
  readonly spans: readonly CodeSpan[] | null;
  readonly words: string;
  readonly isCursor: boolean;
  readonly canComment: boolean;
}

/** One line, with its numbers on both sides. */
export const UnifiedLine = memo(function UnifiedLine(props: LineProps): ReactNode {
  const { row, line, spans, words, isCursor, canComment } = props;
  return (
    <>
      <LineNumber
        {...{ row, line, isCursor, canComment }}
        side={line.type === "removed" ? "old" : "new"}
        numbers={[lineOn(line, "old"), lineOn(line, "new")]}
      />
      <Code line={line} spans={spans} words={words} />
    </>
  );
});

interface PairProps extends Omit<LineProps, "line" | "spans"> {
  readonly left: Placed | null;
  readonly right: Placed | null;
  readonly leftSpans: readonly CodeSpan[] | null;
  readonly rightSpans: readonly CodeSpan[] | null;
}

export const SplitLine = memo(function SplitLine(props: PairProps): ReactNode {
  const { row, left, right, leftSpans, rightSpans, words, isCursor, canComment } = props;
  const half = (side: Side, placed: Placed | null, spans: readonly CodeSpan[] | null): ReactNode => (
    <span className="diff-half" data-type={placed?.line.type ?? "none"}>
      {placed && (
        <>
          <LineNumber
            {...{ row, side, canComment }}
            line={placed.line}
            isCursor={isCursor && (side === "new" || right === null)}
            numbers={[lineOn(placed.line, side)]}
          />
          <Code line={placed.line} spans={spans} words={words} />
        </>
      )}
    </span>
  );
  return (
    <>
      {half("old", left, leftSpans)}
      {half("new", right, rightSpans)}
    </>
  );
});

interface NumberProps {
  readonly row: number;
  readonly line: CodeLine;
  readonly side: Side;
  readonly numbers: readonly (number | null)[];
  readonly isCursor: boolean;
  readonly canComment: boolean;
}

/** The numbers of a line, by which it is commented on. */
function LineNumber({ row, line, side, numbers, isCursor, canComment }: NumberProps): ReactNode {
  const number = lineOn(line, side);
  const words = line.type === "context" ? "" : `, ${line.type}`;
  return (
    <button
      className="diff-number"
      data-row={row}
      data-side={side}
      data-cursor={isCursor || undefined}
      tabIndex={isCursor ? 0 : -1}
      aria-label={`${canComment ? "Comment on line" : "Line"} ${number ?? ""}${words}`}
    >
      {numbers.map((each, index) => (
        // Drawn by the style: a name that says more than two bare numbers is what is heard.
        <span key={index} data-number={each ?? ""} />
      ))}
    </button>
  );
}

interface CodeProps {
  readonly line: CodeLine;
  readonly spans: readonly CodeSpan[] | null;
  readonly words: string;
}

function Code({ line, spans, words }: CodeProps): ReactNode {
  const { text, type } = line;
  const cut = text.length > LENGTH_MAX ? text.slice(0, LENGTH_MAX) : text;
  const pieces = withFound(cut === text && spans ? spans : [{ kind: null, text: cut }], words);
  return (
    <span className="diff-code">
      <span className="code-sign">{SIGNS[type]}</span>
      {pieces.map(({ kind, text: part, isFound }, index) => {
        const shown = exactText(part);
        if (isFound)
          return (
            <mark key={index} data-kind={kind}>
              {shown}
            </mark>
          );
        return kind === null ? (
          shown
        ) : (
          <span key={index} data-kind={kind}>
            {shown}
          </span>
        );
      })}
      {cut !== text && <em> … {(text.length - LENGTH_MAX).toLocaleString("en")} more characters</em>}
    </span>
  );
}
