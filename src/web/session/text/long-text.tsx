import { useState, type ReactNode } from "react";

/** What is shown at once, and added with each press. */
const PIECE_LENGTH = 20_000;

export function isLongText(text: string): boolean {
  return text.length > PIECE_LENGTH;
}

/** A text of any length, of which a page shows as much as it can bear. */
export function LongText({ text }: { readonly text: string }): ReactNode {
  const [count, setCount] = useState(1);
  const pieces = Array.from({ length: count }, (_, index) =>
    text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH),
  );
  const left = text.length - count * PIECE_LENGTH;
  return (
    <div className="long-text">
      {pieces.map((piece, index) => (
        // Pieces are only ever added.
        <span key={index} className="long-text-piece">
          {piece}
        </span>
      ))}
      {left > 0 && (
        <button className="button button-small" onClick={() => setCount(count + 1)}>
          Show more: {left.toLocaleString("en")} characters are left
        </button>
      )}
    </div>
  );
}
