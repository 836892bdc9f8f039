import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Access, AskedTool, Json } from "../../core/index.js";
import { accessesOf } from "./tool-accesses.js";
import { TOOL_TABLE } from "./tool-table.js";

function shell(command: string, more: { readonly shell?: string; readonly cwd?: string } = {}): Access {
  return { category: "Shell", command, shell: "bash", ...more };
}
const read = (path: string): Access => ({ category: "Read", path });
const write = (path: string): Access => ({ category: "Write", path });
const web = (host: string): Access => ({ category: "Web", host });
const tool = (name: string): Access => ({ category: "Tool", name });
const mcp = (server: string, name: string): Access => ({ category: "Mcp", server, tool: name });

type Row = readonly [harness: string, asked: AskedTool, expected: readonly Access[]];

describe("as recorded", () => {
  test.each<Row>([
    [
      "claude",
      { name: "Bash", input: { command: "touch q.txt; sleep 3", description: "x" } },
      [shell("touch q.txt; sleep 3")],
    ],
    ["claude", { name: "Bash", input: { command: "ls" }, cwd: "/tmp/w" }, [shell("ls", { cwd: "/tmp/w" })]],
    ["claude", { name: "Write", input: { file_path: "/p/a.txt", content: "hello" } }, [write("/p/a.txt")]],
    ["claude", { name: "MultiEdit", input: { file_path: "a", edits: [] } }, [write("a")]],
    ["claude", { name: "NotebookEdit", input: { notebook_path: "a.ipynb" } }, [write("a.ipynb")]],
    ["claude", { name: "Read", input: { file_path: "a" }, cwd: "/tmp/w" }, [read("/tmp/w/a")]],
    ["claude", { name: "Glob", input: { pattern: "**/*.ts" } }, [read(".")]],
    ["claude", { name: "Glob", input: { pattern: "/etc/*" } }, [read("."), read("/etc/*")]],
    [
      "claude",
      { name: "Grep", input: { pattern: "x", path: "src", glob: ".env" } },
      [read("src"), read("src/.env")],
    ],
    ["claude", { name: "WebFetch", input: { url: "https://a.example/x", prompt: "y" } }, [web("a.example")]],
    ["claude", { name: "WebSearch", input: { query: "x" } }, [tool("WebSearch")]],
    ["claude", { name: "Task", input: { prompt: "x" } }, [tool("Task")]],
    ["claude", { name: "mcp__github__get_issue", input: { number: 1 } }, [mcp("github", "get_issue")]],
    ["claude", { name: "mcp__a_b__c__d", input: {} }, [mcp("a_b", "c__d")]],
    [
      "codex",
      { name: "commandExecution", input: { command: "/bin/bash -lc 'touch a'", cwd: "/p" }, cwd: "/p" },
      [shell("/bin/bash -lc 'touch a'", { cwd: "/p" })],
    ],
    [
      "codex",
      { name: "fileChange", input: { files: ["/p/a", "/p/b"] }, paths: ["/p/a", "/p/b"] },
      [write("/p/a"), write("/p/b")],
    ],
    ["codex", { name: "networkAccess", input: { host: "a.example" } }, [web("a.example")]],
    ["codex", { name: "mcpToolCall", input: { server: "s", tool: "t", arguments: {} } }, [mcp("s", "t")]],
    ["codex", { name: "permissions", input: { network: { enabled: true } } }, [tool("permissions")]],
    [
      "acp",
      {
        name: "touch a && echo hi",
        kind: "execute",
        input: { command: "touch a && echo hi", description: "x" },
      },
      [shell("touch a && echo hi")],
    ],
    [
      "acp",
      { name: "run a command", kind: "execute", input: { command: "ls", commands: ["ls"] } },
      [shell("ls")],
    ],
    [
      "acp",
      { name: "a.txt", kind: "edit", input: { filepath: "/p/a.txt", diff: "x" }, paths: ["/p/a.txt"] },
      [write("/p/a.txt")],
    ],
    ["acp", { name: "Create file", kind: "edit", input: { fileName: "/p/a", diff: "x" } }, [write("/p/a")]],
    ["acp", { name: "mcp_github_get_issue", kind: "other", input: null }, [mcp("github", "get_issue")]],
    [
      "acp",
      { name: "fs/read_text_file", kind: "read", input: { path: "/p/a" }, paths: ["/p/a"] },
      [read("/p/a")],
    ],
    ["gemini", { name: "read_file", kind: "read", input: { file_path: "a" } }, [read("a")]],
    [
      "gemini",
      {
        name: "web_fetch",
        kind: "fetch",
        input: { prompt: "see https://a.example/x and http://b.example." },
      },
      [web("a.example"), web("b.example")],
    ],
    ["opencode", { name: "move", kind: "move", input: { from: "a", to: "b" } }, [write("a"), write("b")]],
    [
      "opencode",
      { name: "grep", kind: "search", input: { pattern: "x", include: "*.env" } },
      [read("."), read("./*.env")],
    ],
    ["kilo", { name: "readFile", input: { tool: "readFile", path: "a" } }, [read("a")]],
    ["kilo", { name: "command", input: { command: "ls" } }, [shell("ls")]],
    ["kilo", { name: "use_mcp_server", input: { serverName: "s", toolName: "t" } }, [mcp("s", "t")]],
    ["kilo", { name: "newFileCreated", input: { path: "a" } }, [write("a")]],
    [
      "builtin",
      { name: "execute_shell_command", input: { command: "ls", dir: "src", shell: "fish" } },
      [shell("ls", { shell: "fish", cwd: "src" })],
    ],
    [
      "builtin",
      { name: "edit_file", input: { file_path: "a", old_string: "x", new_string: "y" } },
      [write("a")],
    ],
    [
      "builtin",
      { name: "suggest_command", input: { command: "rm -rf /", description: "x" } },
      [tool("suggest_command")],
    ],
  ])("%s %j", (harness, asked, expected) => {
    expect(accessesOf(harness, asked)).toEqual(expected);
  });
});

describe("everything in an input counts", () => {
  const run = (input: Json): AskedTool => ({ name: "x", kind: "execute", input });
  test.each<Row>([
    ["acp", run({ command: "ls", args: ["secrets/k", "a b"] }), [shell("ls secrets/k 'a b'")]],
    ["acp", run({ command: "ls", arguments: "-l a" }), [shell("ls -l a")]],
    ["acp", run({ command: "ls", args: [], env: {} }), [shell("ls")]],
    ["acp", run({ command: "ls", env: { PATH: "/tmp/x y", N: 1 } }), [shell("PATH='/tmp/x y' N=1 ls")]],
    ["acp", run({ command: "ls", env: [{ name: "A", value: "b" }, "C=d=e"] }), [shell("A=b C=d=e ls")]],
    ["acp", run({ command: "ls", env: { "A;rm": "b" } }), [tool("x"), shell("ls")]],
    ["acp", run({ command: "ls", args: [7] }), [tool("x"), shell("ls")]],
    [
      "acp",
      run({ command: "ls 'x", args: ["' ; rm y"] }),
      [tool("x"), shell(`ls 'x ''\\'' ; rm y'`), shell("ls 'x")],
    ],
    [
      "acp",
      { name: "mcp__a__b", kind: "execute", input: { command: "rm x" } },
      [mcp("a", "b"), shell("rm x")],
    ],
    ["acp", { name: "mcp__a__b", kind: "execute", input: { x: 1 } }, [mcp("a", "b")]],
    [
      "acp",
      { name: "mcp__a__b", kind: "execute", input: { command: 7 } },
      [mcp("a", "b"), tool("mcp__a__b")],
    ],
    ["acp", { name: "mcp__a__b", kind: "edit", input: { path: "c" } }, [mcp("a", "b"), write("c")]],
    [
      "codex",
      { name: "mcpToolCall", input: { server: ["a", "evil"], tool: "t" } },
      [tool("mcpToolCall"), mcp("a", "t"), mcp("evil", "t")],
    ],
    [
      "builtin",
      { name: "execute_shell_command", input: { command: "ls", shell: ["bash", "fish"] } },
      [tool("execute_shell_command"), shell("ls"), shell("ls", { shell: "fish" })],
    ],
  ])("%s %j", (harness, asked, expected) => {
    expect(accessesOf(harness, asked)).toEqual(expected);
  });
});

describe("a search", () => {
  test.each<Row>([
    ["claude", { name: "Grep", input: { pattern: "/api/", path: "src" } }, [read("src")]],
    ["claude", { name: "Grep", input: { pattern: "~x" } }, [read(".")]],
    ["gemini", { name: "grep_search", kind: "search", input: { pattern: "/api/" } }, [read(".")]],
    ["acp", { name: "a title", kind: "search", input: { pattern: "/etc/*" } }, [read("."), read("/etc/*")]],
    ["claude", { name: "Glob", input: { pattern: "{..,x}/s/*" } }, [read("."), read("./../s/*")]],
    ["claude", { name: "Glob", input: { pattern: "\\.\\./s/*" } }, [read("."), read("./../s/*")]],
    ["claude", { name: "Glob", input: { pattern: ["a", 7] } }, [tool("Glob"), read(".")]],
    [
      "claude",
      { name: "Grep", input: { pattern: "x", path: "src", glob: "{../secrets/*,x}" } },
      [read("src"), read("src/../secrets/*"), read("src/x")],
    ],
    [
      "claude",
      { name: "Grep", input: { pattern: "x", path: "src", glob: { a: 1 } } },
      [tool("Grep"), read("src")],
    ],
    [
      "claude",
      { name: "Grep", input: { pattern: "x", path: "src", glob: "{a,b}".repeat(20) } },
      [tool("Grep"), read("src")],
    ],
  ])("%s %j", (harness, asked, expected) => {
    expect(accessesOf(harness, asked)).toEqual(expected);
  });
});

test("a list of words is one command, a list of files is as many", () => {
  const argv = { name: "x", kind: "execute", input: { command: ["rm", "-rf", "/"] } };
  expect(accessesOf("acp", argv)).toEqual([shell("rm -rf /")]);
  expect(accessesOf("acp", { name: "x", kind: "execute", input: { commands: ["a b", "c"] } })).toEqual([
    shell("a b"),
    shell("c"),
  ]);
  const files = { name: "x", kind: "read", input: { paths: ["a", "b"], files: [{ path: "c" }] } };
  expect(accessesOf("acp", files)).toEqual([read("a"), read("b"), read("c")]);
});

describe("what is not as it should be is a tool, and what can be seen of it as well", () => {
  test.each<Row>([
    ["claude", { name: "Bash", input: {} }, [tool("Bash")]],
    ["claude", { name: "Bash", input: null }, [tool("Bash")]],
    ["claude", { name: "Bash", input: { command: 7 } }, [tool("Bash")]],
    ["claude", { name: "Write", input: { file_path: ["a", 7] } }, [tool("Write")]],
    ["claude", { name: "Write", input: { file_path: "" } }, [tool("Write")]],
    ["claude", { name: "WebFetch", input: { url: "not an address" } }, [tool("WebFetch")]],
    ["claude", { name: "Unheard", input: { x: 1 } }, [tool("Unheard")]],
    ["claude", { name: "Unheard", input: { command: "rm -rf /" } }, [tool("Unheard"), shell("rm -rf /")]],
    ["claude", { name: "Unheard", input: { path: ".env" } }, [tool("Unheard"), read(".env")]],
    ["claude", { name: "mcp__", input: {} }, [tool("mcp__")]],
    ["codex", { name: "fileChange", input: { files: null } }, [tool("fileChange")]],
    [
      "codex",
      { name: "commandExecution", input: { command: "ls", additionalPermissions: { network: true } } },
      [tool("commandExecution"), shell("ls")],
    ],
    [
      "codex",
      { name: "writeStdin", input: { command: "y", reason: null } },
      [shell("y"), tool("writeStdin")],
    ],
    ["acp", { name: "rm -rf /", kind: "execute", input: null }, [tool("rm -rf /"), shell("rm -rf /")]],
    ["acp", { name: "x", kind: "new_kind", input: { command: "ls" } }, [tool("x"), shell("ls")]],
    ["acp", { name: "TodoWrite", kind: "think", input: { command: "ls" } }, [tool("TodoWrite"), shell("ls")]],
    [
      "acp",
      { name: "read", kind: "execute", input: { filePath: "a", command: "ls" } },
      [read("a"), shell("ls")],
    ],
    [
      "acp",
      { name: "x", kind: "execute", input: { command: ["sh", "-c", "echo 'a b'"] } },
      [shell(`sh -c 'echo '\\''a b'\\'''`)],
    ],
    [
      "builtin",
      { name: "execute_shell_command", input: { command: "ls", dir: 7 } },
      [tool("execute_shell_command"), shell("ls")],
    ],
  ])("%s %j", (harness, asked, expected) => {
    expect(accessesOf(harness, asked)).toEqual(expected);
  });

  test("a new thing on a well-known object is no field of the input", () => {
    expect(accessesOf("claude", { name: "toString", input: {} })).toEqual([tool("toString")]);
    expect(accessesOf("acp", { name: "constructor", kind: "__proto__", input: {} })).toEqual([
      tool("constructor"),
    ]);
  });
});

test("every call does something, whatever its input is", () => {
  const names = TOOL_TABLE.flatMap((row) => row.tools);
  fc.assert(
    fc.property(
      fc.constantFrom("claude", "codex", "acp", "gemini", "kilo", "builtin", ""),
      fc.oneof(fc.constantFrom(...names), fc.string()),
      fc.oneof(fc.constantFrom(...names), fc.constant(undefined)),
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(
          fc.constantFrom("command", "path", "file_path", "url", "cwd", "shell", "server", "tool"),
          fc.jsonValue(),
        ),
      ),
      (harness, name, kind, input) => {
        const asked: AskedTool = { name, input: input as Json, ...(kind === undefined ? {} : { kind }) };
        expect(accessesOf(harness, asked).length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("no harness has two rows for one tool", () => {
  const keys = TOOL_TABLE.flatMap(({ harness, by, tools }) =>
    tools.map((each) => `${harness} ${by} ${each}`),
  );
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
