import { useState, type ReactNode } from "react";

/** Copies what is there when it is pressed. */
export function CopyNow({ read }: { readonly read: () => string }): ReactNode {
  const [words, setWords] = useState("Copy");
  return (
    <button
      className="button button-small button-plain"
      onClick={() => {
        navigator.clipboard.writeText(read()).then(
          () => setWords("Copied"),
          () => setWords("Not copied"),
        );
      }}
      onBlur={() => setWords("Copy")}
    >
      {words}
    </button>
  );
}
