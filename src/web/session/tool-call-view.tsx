import { useState, type ReactNode } from "react";
import { exitReason, toolTitle, type Item } from "../../core/index.js";
import { DiffView } from "./text/diff-view.js";
import { OutputView } from "./text/output-view.js";
import { exactText } from "./text/visible-text.js";
import { toolInput } from "./tool-words.js";
import type { Unfinished } from "./unfinished.js";

type ToolCall = Extract<Item, { readonly type: "tool_call" }>;

const ENDED_WORDS = {
  succeeded: "done",
  failed: "failed",
  rejected: "rejected",
  canceled: "canceled",
} as const;
const UNFINISHED_WORDS = {
  running: "running",
  asked: "needs you",
  pending: "pending",
  left: "not finished",
} as const;

interface Props {
  readonly call: ToolCall;
  readonly unfinished: Unfinished | null;
}

export function ToolCallView({ call, unfinished }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { subject, whole } = toolInput(call.input, call.args);
  const name = call.name ?? "";
  const title = toolTitle(name);
  const hasDiff = call.diff !== null && call.diff !== "";
  return (
    <div className="tool" data-state={call.state === "running" ? unfinished : call.state}>
      <button className="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="tool-mark" aria-hidden="true" />
        <span className="tool-name">{exactText(title)}</span>
        <span className="tool-subject">{subject === title ? "" : exactText(subject)}</span>
        <span className="tool-state">{stateWords(call, unfinished)}</span>
      </button>
      {isOpen && name !== "" && name !== title && (
        <p className="tool-own-name">
          The agent’s own name for it: <code>{exactText(name)}</code>
        </p>
      )}
      {isOpen && whole !== "" && <OutputView text={whole} linesMax={40} label="Input" />}
      {hasDiff && <DiffView diff={call.diff} linesMax={isOpen ? 200 : 16} />}
      {(!hasDiff || isOpen) && (
        <OutputView
          text={call.output}
          showsEnd={unfinished === "running" || call.state === "failed"}
          linesMax={isOpen ? 60 : 6}
          label={`Output of “${title}”`}
          key={isOpen ? "open" : "folded"}
        />
      )}
      {call.error !== null && call.error !== call.output && (
        <p className="tool-error">{exactText(call.error.slice(0, 4_000))}</p>
      )}
      {call.cut.length > 0 && <p className="tool-cut">Too long to keep: the end is missing.</p>}
    </div>
  );
}

function stateWords(call: ToolCall, unfinished: Unfinished | null): string {
  const { state } = call;
  if (state === "running") return UNFINISHED_WORDS[unfinished ?? "left"];
  const reason = state === "failed" ? exitReason(call) : "";
  return reason === "" ? ENDED_WORDS[state] : `${ENDED_WORDS[state]}, ${reason}`;
}
