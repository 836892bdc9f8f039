/** Files that an agent reads and writes through us. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { CONTENT_LENGTH_MAX } from "../../../src/harness/acp/file-requests.js";
import { type AcpPeer, working } from "./acp-peer.js";

const PATH = "/proj/a.txt";
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function reading(agent: string | null = null): AcpPeer {
  return working(agent).asks(3, "fs/read_text_file", { path: PATH, line: 2, limit: 5 });
}

function writing(peer: AcpPeer = working(), content = "hello"): AcpPeer {
  return peer.asks(3, "fs/write_text_file", { path: PATH, content });
}

function answer(result: Json): readonly Json[] {
  return [{ jsonrpc: "2.0", id: 3, result }];
}

function refusal(code: number, message: string): readonly Json[] {
  return [{ jsonrpc: "2.0", id: 3, error: { code, message } }];
}

const FILE = { type: "query", queryId: "request-3:file" } as const;
const READ = { ...FILE, query: { type: "read_file", path: PATH, line: 2, limit: 5 } };
const WRITE = { ...FILE, query: { type: "write_file", path: PATH, content: "hello" } };

describe("reading", () => {
  test("the rules are asked first", () => {
    const tool = { name: "fs/read_text_file", kind: "read", input: { path: PATH }, paths: [PATH] };
    expect(reading().outputs).toEqual([
      { type: "query", queryId: "request-3:rules", query: { type: "permission", tool } },
    ]);
  });

  test.each(["allow", "none"] as const)("%s: it is read", (verdict) => {
    const peer = reading().isDecided("request-3:rules", verdict);
    expect(peer.outputs).toEqual([READ]);
    peer.isAnswered("request-3:file", { type: "file", content: "words" });
    expect(peer.told).toEqual(answer({ content: "words" }));
    expect(peer.state.asked).toEqual([]);
  });

  test("deny: it is refused", () => {
    const peer = reading().isDecided("request-3:rules", "deny");
    expect(peer.told).toEqual(refusal(-32_000, "Not allowed. A rule says so."));
    expect(peer.state.asked).toEqual([]);
  });

  test("ask: a person decides", () => {
    const peer = reading().isDecided("request-3:rules", "ask");
    expect(peer.facts).toEqual([{ type: "ask:tool", askId: "request-3" }]);
    expect(peer.approves("request-3").queries).toEqual([{ queryId: READ.queryId, query: READ.query }]);
  });

  const missing = { type: "failed", message: "ENOENT: no such file or directory" } as const;

  test("a file that is not there is not found; some agents must think it empty", () => {
    const peer = reading().isDecided("request-3:rules", "allow").isAnswered("request-3:file", missing);
    expect(peer.told).toEqual(refusal(-32_002, "Resource not found: ENOENT: no such file or directory"));
    const gemini = reading("gemini").isDecided("request-3:rules", "allow");
    expect(gemini.isAnswered("request-3:file", missing).told).toEqual(answer({ content: "" }));
  });

  test("a file outside of the folder is refused in words", () => {
    const peer = reading("gemini").isDecided("request-3:rules", "allow");
    peer.isAnswered("request-3:file", { type: "failed", message: "/x is not inside the session's folder" });
    expect(peer.told).toEqual(refusal(-32_603, "/x is not inside the session's folder"));
  });
});

describe("writing", () => {
  test("allow: it is written", () => {
    const peer = writing().isDecided("request-3:rules", "allow");
    expect(peer.outputs).toEqual([WRITE]);
    expect(peer.isAnswered("request-3:file", { type: "written" }).told).toEqual(answer({}));
  });

  test.each(["none", "ask"] as const)("%s: a person decides", (verdict) => {
    const peer = writing().isDecided("request-3:rules", verdict);
    expect(peer.outputs[0]).toMatchObject({ type: "ask_detail", title: `Write ${PATH}`, detail: "hello" });
    expect(peer.facts).toEqual([{ type: "ask:tool", askId: "request-3" }]);
    expect(peer.approves("request-3").queries).toEqual([{ queryId: WRITE.queryId, query: WRITE.query }]);
  });

  test("a person's words are the reason of the refusal", () => {
    const peer = writing().isDecided("request-3:rules", "none");
    peer.rejects("request-3", "not this file");
    expect(peer.told).toEqual(refusal(-32_000, "not this file"));
  });

  /** It asked whether it may, as most agents do. */
  function allowed(toolCall: Json, approve = true): AcpPeer {
    const peer = working().asks(2, "session/request_permission", { toolCall, options: OPTIONS });
    if (approve) peer.approves("request-2");
    else peer.rejects("request-2");
    return peer;
  }
  const diff = { type: "diff", path: PATH, oldText: null, newText: "hello" };
  const edit = { toolCallId: "c", title: "write", kind: "edit", content: [diff] };

  test.each(["none", "ask"] as const)("%s: what was just allowed is not asked about again", (verdict) => {
    const peer = writing(allowed(edit)).isDecided("request-3:rules", verdict);
    expect(peer.outputs).toEqual([WRITE]);
    // But only once.
    peer.asks(4, "fs/write_text_file", { path: PATH, content: "hello" });
    expect(peer.isDecided("request-4:rules", verdict).facts).toHaveLength(1);
  });

  test("what was allowed is this content, in this file, in this turn; and was not refused", () => {
    const isAsked = (peer: AcpPeer) => peer.isDecided("request-3:rules", "none").facts.length === 1;
    expect(isAsked(writing(allowed(edit), "something else"))).toBe(true);
    expect(isAsked(writing(allowed(edit, false)))).toBe(true);
    const other = { ...edit, content: [{ ...diff, path: "/proj/b.txt" }] };
    expect(isAsked(writing(allowed(other)))).toBe(true);
    const later = allowed(edit).answers("session/prompt", { result: { stopReason: "end_turn" } });
    later.does({ type: "deliver_message", run: 1, messageId: "m" }, "more");
    expect(isAsked(writing(later))).toBe(true);
  });

  test("a call that told only its file may write it once in any way", () => {
    const toolCall = { toolCallId: "c", title: "write", kind: "edit", locations: [{ path: PATH }] };
    expect(writing(allowed(toolCall)).isDecided("request-3:rules", "none").outputs).toEqual([WRITE]);
  });

  test("deny holds whatever was allowed before", () => {
    const peer = writing(allowed(edit)).isDecided("request-3:rules", "deny");
    expect(peer.told).toEqual(refusal(-32_000, "Not allowed. A rule says so."));
  });

  test("what is too large, or says nothing, is refused at once", () => {
    expect(writing(working(), "x".repeat(CONTENT_LENGTH_MAX + 1)).told).toEqual(
      refusal(-32_603, "Files of more than 1000000 characters are not written for an agent."),
    );
    expect(working().asks(3, "fs/write_text_file", { path: PATH }).told).toEqual(
      refusal(-32_602, "A path is missing, or the content."),
    );
    expect(working().asks(3, "fs/read_text_file", {}).told).toHaveLength(1);
  });

  test("interrupted, it is not written", () => {
    const peer = writing().isDecided("request-3:rules", "none");
    peer.does({ type: "interrupt_run", run: 1 });
    expect(peer.told.at(-1)).toEqual(refusal(-32_000, "It was cancelled.")[0]);
    // An answer of the rules that comes too late changes nothing.
    expect(writing(peer).isAnswered("request-9:file", { type: "written" }).outputs).toEqual([]);
  });
});

test.each(["terminal/resize", "fs/delete", "_private/method"])("%s is unknown", (method) => {
  const peer = working().asks(5, method, {});
  expect(peer.told).toEqual([
    { jsonrpc: "2.0", id: 5, error: { code: -32_601, message: `Method not found: ${method}` } },
  ]);
  expect(peer.said[0]).toEqual({ type: "unknown", kind: "request" });
});
