/** What a person is shown of a request for permission. */
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { working, type AcpPeer } from "./acp-peer.js";

const TEXT = { type: "content", content: { type: "text", text: "Harmless." } };
const DIFF = { type: "diff", path: "/proj/a", oldText: "", newText: "1\n" };
const OPTIONS = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];

function asking(rawInput: Json, more: Readonly<Record<string, Json>> = {}): AcpPeer {
  const toolCall = { toolCallId: "c", title: "Run a command", kind: "execute", rawInput, ...more };
  return working().asks(7, "session/request_permission", { toolCall, options: OPTIONS });
}

function shown({ outputs }: AcpPeer): readonly (string | undefined)[] {
  const ask = outputs.find((output) => output.type === "ask_detail");
  return [ask?.title, ask?.detail];
}

test.each<[Json, string, string]>([
  [{ command: "git", args: ["push", "--force", "a b"] }, "git push --force 'a b'", ""],
  [{ command: ["git", "push"], args: ["--force"] }, "git push --force", ""],
  [{ cmd: "git", args: ["push"] }, "git push", ""],
  [{ command: "git push", cwd: "/proj" }, "git push", ""],
  [{ command: "git push", cwd: "/proj/a" }, "git push", "\n(in /proj/a)"],
])("of a command the whole line, and where: %j", (rawInput, line, place) => {
  const said = "Described as: Run a command";
  expect(shown(asking(rawInput))).toEqual([line, `${line}${place}\n${said}`]);
  const diff = "--- /proj/a\n+++ /proj/a\n@@ -0,0 +1,1 @@\n+1\n";
  const detail = `${line}${place}\n${said}\nHarmless.\n${diff}`;
  expect(shown(asking(rawInput, { content: [TEXT, DIFF] }))).toEqual([line, detail]);
});

test.each<Json>([
  { command: "git", args: "push" },
  { command: "git", args: ["push", 7] },
  { command: "git", arguments: ["push"] },
  { command: "git", env: { GIT_SSH_COMMAND: "x" } },
])("of a command that is not told in words alone, all that is told: %j", (rawInput) => {
  const peer = asking(rawInput, { content: [TEXT] });
  expect(shown(peer)).toEqual(["Run a command", `${JSON.stringify(rawInput, null, 2)}\nHarmless.`]);
  peer.approves("request-7");
  expect(peer.state.approvedCommands).toEqual([]);
});

test("what an agent says of a command stands beside it, once", () => {
  const command = { command: "rm a\nrm b", description: "Harmless." };
  const titled = { title: "`rm a\nrm b`" };
  expect(shown(asking(command, titled))).toEqual(["rm a rm b", "rm a\nrm b\nDescribed as: Harmless."]);
  expect(shown(asking(command, { ...titled, content: [TEXT] }))).toEqual([
    "rm a rm b",
    "rm a\nrm b\nHarmless.",
  ]);
});

test("what is too long is cut, and says how much is missing", () => {
  const [title, detail] = shown(asking({ command: `echo ${"x".repeat(20_000)}; rm -rf build` }));
  expect(title).toBe(`echo ${"x".repeat(494)}…`);
  expect(detail).toBe(`echo ${"x".repeat(19_995)}\n… 47 more characters are not shown`);
});
