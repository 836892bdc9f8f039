import { expect, test } from "vitest";
import { parseCall } from "./call-text.js";

test.each<[string, object]>([
  ["Read(src/a.ts)", { category: "Read", path: "src/a.ts" }],
  [" Write( a b ) ", { category: "Write", path: " a b " }],
  ["Shell(git status)", { category: "Shell", command: "git status", shell: "bash" }],
  [
    "Shell(echo $(ls) && (cd x; rm y)\ntrue)",
    { category: "Shell", command: "echo $(ls) && (cd x; rm y)\ntrue", shell: "bash" },
  ],
  ["Shell(()", { category: "Shell", command: "(", shell: "bash" }],
  ["Mcp(github/get_issue)", { category: "Mcp", server: "github", tool: "get_issue" }],
  ["Mcp(a/b/c)", { category: "Mcp", server: "a/b", tool: "c" }],
  ["Web(Example.org)", { category: "Web", host: "example.org" }],
  ["Web(https://user@example.org:8443/a?b#c)", { category: "Web", host: "example.org" }],
  ["Web(localhost:80)", { category: "Web", host: "localhost" }],
  ["Web([::1]:80)", { category: "Web", host: "[::1]" }],
  ["Tool(TodoWrite)", { category: "Tool", name: "TodoWrite" }],
])("%j", (text, access) => {
  expect(parseCall(text)).toEqual({ ok: true, access });
});

test.each<[string, string]>([
  ["", "is no call: expected Shell("],
  ["git status", '"git status" is no call: expected Shell('],
  ["Bash(ls)", '"Bash(ls)" is no call: expected Shell('],
  ["shell(ls)", "is no call"],
  ["Shell", "is no call"],
  ["Shell(ls", "does not end with a parenthesis"],
  ["Shell(ls) x", "does not end with a parenthesis"],
  ["Shell( )", "says nothing"],
  ["Mcp(github)", "expected a server and a tool"],
  ["Mcp(/x)", "expected a server and a tool"],
  ["Web(https://)", "expected a host or an address"],
  ["Web(a b)", "expected a host or an address"],
  ["Read(a\0b)", "zero byte"],
])("%j is refused with what was expected", (text, message) => {
  expect(parseCall(text)).toEqual({ ok: false, message: expect.stringContaining(message) as string });
});
