import { useEffect, useRef, useState, type ReactNode } from "react";

const SHOWN_MS = 1_500;

type Copied = "no" | "yes" | "failed";

const WORDS: Readonly<Record<Copied, string>> = { no: "Copy", yes: "Copied", failed: "Not copied" };

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [copied, setCopied] = useState<Copied>("no");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (next: Copied) => {
    setCopied(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied("no"), SHOWN_MS);
  };
  return (
    <button
      className="copy-button"
      aria-label={copied === "no" ? label : WORDS[copied]}
      onClick={() => {
        void copyText(text).then((ok) => show(ok ? "yes" : "failed"));
      }}
    >
      {WORDS[copied]}
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed, or not served securely: the button says so.
    return false;
  }
}
