/** Calls that an agent asks about only because we make it: the rules must know what they are about. */
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { working, type AcpPeer } from "./acp-peer.js";

const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
/** As OpenCode and Kilo Code ask: without a word about the file. */
const BARE = { toolCallId: "c1", title: "read", kind: "read", locations: [], rawInput: {} };
const KNOWN = {
  toolCallId: "c1",
  title: "read",
  kind: "read",
  locations: [{ path: "/proj/a" }],
  rawInput: { filePath: "/proj/a" },
};
const QUERY = {
  type: "query",
  queryId: "request-7:rules",
  query: {
    type: "permission",
    tool: { name: "read", input: { filePath: "/proj/a" }, kind: "read", paths: ["/proj/a"] },
  },
};

const asks = (peer: AcpPeer): AcpPeer =>
  peer.asks(7, "session/request_permission", { toolCall: BARE, options: OPTIONS });
const tells = (peer: AcpPeer, call: Json): AcpPeer =>
  peer.updates({ ...(call as object), sessionUpdate: "tool_call_update", status: "in_progress" });

test("what was told of a call before counts when it is asked about", () => {
  const peer = asks(tells(working("opencode"), KNOWN));
  expect(peer.outputs).toEqual([QUERY]);
  expect(peer.isDecided("request-7:rules", "deny").told).toEqual([
    { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "selected", optionId: "no" } } },
  ]);
});

test("asked about too early, it is a person's matter until something is told", () => {
  const peer = asks(working("kilo"));
  expect(peer.facts.at(-1)).toEqual({ type: "ask:tool", askId: "request-7" });
  expect(tells(peer, KNOWN).outputs.at(-1)).toEqual(QUERY);
  expect(peer.isDecided("request-7:rules", "deny")).toMatchObject({
    told: [{ jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "selected", optionId: "no" } } }],
    facts: [{ type: "ask_closed", askId: "request-7" }],
  });
});

test("a rule that says ask changes nothing then, and a person who was quicker is heard", () => {
  const peer = tells(asks(working("kilo")), KNOWN);
  expect(peer.isDecided("request-7:rules", "ask").outputs).toEqual([]);
  expect(peer.approves("request-7").writes.join("")).toContain('"optionId":"yes"');
  expect(peer.isDecided("request-7:rules", "deny").outputs).toEqual([]);
});

test("a secret stays a person's matter", () => {
  const secret = { ...KNOWN, locations: [], rawInput: { filePath: "/proj/.env" } };
  const peer = tells(asks(working("kilo")), secret);
  expect(peer.outputs.filter(({ type }) => type === "query")).toEqual([]);
});
