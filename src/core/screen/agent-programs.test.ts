import { expect, test } from "vitest";
import { agentOf, isShell } from "./agent-programs.js";

test.each([
  ["claude", [], "claude"],
  ["claude", ["--resume", "x"], "claude"],
  ["/opt/bin/codex", ["resume"], "codex"],
  ["codex.exe", [], "codex"],
  ["kilocode", [], "kilo"],
  ["opencode", [], "opencode"],
  ["node", ["/opt/lib/node_modules/@google/gemini-cli/bundle/gemini.js"], "gemini"],
  ["node", ["--max-old-space-size=4096", "node_modules/.bin/gemini"], "gemini"],
  ["node", ["-r", "./hook.js", "/x/node_modules/@qwen-code/qwen-code/cli.js", "--debug"], "qwen"],
  ["node", ["/x/node_modules/@github/copilot/npm-loader.js"], "copilot"],
  ["bun", ["run", "/x/node_modules/.bin/opencode"], "opencode"],
  ["node", ["/x/node_modules/@vibe-kit/grok-cli/dist/index.js"], "grok"],
  ["node", ["/x/node_modules/@nanocollective/nanocoder/dist/cli.js"], "nanocoder"],
  ["node", ["/x/node_modules/@earendil-works/pi-coding-agent/dist/cli.js"], "pi"],
  ["/usr/bin/node", ["/x/node_modules/@kilocode/cli/bin/kilo"], "kilo"],
  ["/x/node_modules/@anthropic-ai/claude-code/vendor/program", [], "claude"],
  // A process that named itself: what it runs is only in its arguments.
  ["MainThread", ["node", "/x/node_modules/@openai/codex/bin/codex.js"], "codex"],
  ["node-MainThread", ["/usr/bin/node", "/x/.bin/gemini"], "gemini"],
] as const)("%s %j is %s", (command, args, agent) => {
  expect(agentOf(command, args)).toBe(agent);
});

test.each([
  ["bash", []],
  ["bash", ["-c", "claude"]],
  ["vim", ["claude.ts"]],
  ["vim", ["node", "claude"]],
  ["node", []],
  ["node", ["-e", "0"]],
  ["node", ["server.js", "claude"]],
  ["cat", ["/x/node_modules/@openai/codex/README.md"]],
  ["claude-desktop", []],
  ["", []],
] as const)("%s %j is no agent", (command, args) => {
  expect(agentOf(command, args)).toBeNull();
});

test("shells are told by their names", () => {
  expect(["bash", "-zsh", "/usr/bin/fish", "sh", "pwsh.exe"].map(isShell)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(["vim", "node", "claude", "bashful", "", "ssh"].map(isShell)).toEqual(Array(6).fill(false));
});
