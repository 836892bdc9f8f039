/** What a person is shown of a request for permission. */
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { working } from "./acp-peer.js";

function shown(rawInput: Json, more: Json = {}): { readonly title: string; readonly detail: string } {
  const told = { toolCallId: "c", title: "Run a command", kind: "execute", rawInput };
  const toolCall = { ...told, ...(more as object) };
  const { outputs } = working().asks(7, "session/request_permission", { toolCall, options: [] });
  const { title, detail } = outputs.find((output) => output.type === "ask_detail") ?? {};
  return { title: title ?? "", detail: detail ?? "" };
}

test("what is too long is cut, and says how much is missing", () => {
  const command = `echo ${"x".repeat(20_000)}; rm -rf build`;
  const { detail } = shown({ command });
  expect(detail).toBe(`echo ${"x".repeat(19_995)}\n… 19 more characters are not shown`);
});
