import { memo, useState, type ReactNode } from "react";
import { wordsForFailure, type Item } from "../../core/index.js";
import { NoteView } from "./note-view.js";
import { DiffView } from "./text/diff-view.js";
import { isLongText, LongText } from "./text/long-text.js";
import { CodeBlock, Markdown } from "./text/markdown.js";
import { proseText } from "./text/visible-text.js";
import { ToolCallView } from "./tool-call-view.js";
import type { Unfinished } from "./unfinished.js";

interface Props {
  readonly item: Item;
  /** Of an ask: whether it is open, and how it ended. */
  readonly isOpenAsk: boolean;
  readonly outcome: string | undefined;
  /** Of what a person wrote: whether it still waits. */
  readonly delivery: "queued" | "sending" | null;
  /** Of what is not over: what becomes of it. */
  readonly unfinished: Unfinished | null;
}

/** Drawn again only when its item is another object. */
export const ThreadItem = memo(function ThreadItem(props: Props): ReactNode {
  const { item, isOpenAsk, outcome, delivery, unfinished } = props;
  switch (item.type) {
    case "user_message":
      return <UserMessage text={item.text} delivery={delivery} />;
    case "assistant_message":
      return (
        <div className="said">
          <Markdown text={item.text} />
          <EndNote state={item.state} isCut={item.cut.length > 0} />
        </div>
      );
    case "thinking":
      return <ThinkingView text={item.text} isOver={unfinished !== "running"} />;
    case "tool_call":
      return <ToolCallView call={item} unfinished={unfinished} />;
    case "artifact":
      return <ArtifactView item={item} />;
    case "ask":
      // An open one stands at the end, where it is answered.
      return isOpenAsk ? null : <AskRecord title={item.title || item.ask} outcome={outcome} />;
    case "error":
      return (
        <div className="notice" role="note">
          <strong>{wordsForFailure(item.code)?.what ?? "Something went wrong"}</strong>
          <p>{proseText(item.message)}</p>
          <span className="notice-code">{item.code}</span>
        </div>
      );
    case "note":
      return <NoteView note={item} />;
  }
});

function UserMessage({
  text,
  delivery,
}: {
  readonly text: string;
  readonly delivery: Props["delivery"];
}): ReactNode {
  return (
    <div className="asked" data-delivery={delivery}>
      <span className="visually-hidden">You wrote: </span>
      <div className="asked-text" dir="auto">
        {isLongText(text) ? <LongText text={proseText(text)} /> : proseText(text)}
      </div>
      {delivery !== null && (
        <span className="asked-state">{delivery === "queued" ? "queued" : "being sent"}</span>
      )}
    </div>
  );
}

function ThinkingView({ text, isOver }: { readonly text: string; readonly isOver: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const shown = proseText(text);
  const last = shown.trimEnd().slice(-160).split("\n").at(-1) ?? "";
  return (
    <div className="thinking">
      <button className="thinking-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="thinking-word">{isOver ? "Thought" : "Thinking"}</span>
        {!isOpen && <span className="thinking-line">{last}</span>}
      </button>
      {isOpen && <div className="thinking-text">{isLongText(shown) ? <LongText text={shown} /> : shown}</div>}
    </div>
  );
}

function ArtifactView({ item }: { readonly item: Extract<Item, { readonly type: "artifact" }> }): ReactNode {
  return (
    <div className="artifact">
      {item.path !== null && <p className="artifact-path mono">{proseText(item.path)}</p>}
      {item.diff !== "" && <DiffView diff={item.diff} />}
      {item.text !== "" && (
        <CodeBlock language={item.path?.split(".").at(-1) ?? "suggestion"} text={item.text} />
      )}
    </div>
  );
}

function AskRecord({
  title,
  outcome,
}: {
  readonly title: string;
  readonly outcome: string | undefined;
}): ReactNode {
  return (
    <p className="ask-record">
      <span className="ask-record-mark" aria-hidden="true">
        ?
      </span>
      <span className="ask-record-title">{proseText(title)}</span>
      <span className="ask-record-outcome">{proseText(outcome ?? "closed")}</span>
    </p>
  );
}

function EndNote({ state, isCut }: { readonly state: string; readonly isCut: boolean }): ReactNode {
  if (isCut) return <p className="said-note">Too long to keep: the end is missing.</p>;
  if (state === "stopped") return <p className="said-note">Interrupted here.</p>;
  return state === "failed" ? <p className="said-note">The answer broke off here.</p> : null;
}
