import type { ReactNode } from "react";

/** What is wrong with a field, below it. */
export function Flaw({ text }: { readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null;
  return (
    <p className="field-flaw" role="alert">
      {text}
    </p>
  );
}
