import { expect, test } from "vitest";
import { flawInWords, parseConfig } from "./parse-config.js";

const FILE = "/etc/signalbox/config.toml";

function flawOf(text: string | Buffer): string | null {
  const parsed = parseConfig(Buffer.from(text), FILE);
  return parsed.ok ? null : flawInWords(parsed.flaw);
}

test("what it may hold", () => {
  const text = `
[harness.claude]
command = "/opt/claude"
args = ["--debug", ""]
env = { CLAUDE_CONFIG_DIR = "/tmp/x", EMPTY = "" }
model = "opus"

[harness.my-agent]
command = "my-agent"

[agent]
post_tool_hooks = []
`;
  expect(parseConfig(Buffer.from(text), FILE)).toEqual({
    ok: true,
    config: {
      harness: {
        claude: {
          command: "/opt/claude",
          args: ["--debug", ""],
          env: { CLAUDE_CONFIG_DIR: "/tmp/x", EMPTY: "" },
          model: "opus",
        },
        "my-agent": { command: "my-agent" },
      },
      agent: { post_tool_hooks: [], mcp_servers: {} },
    },
  });
  expect(parseConfig(Buffer.from(""), FILE)).toEqual({ ok: true, config: { harness: {} } });
});

test.each([
  [
    "[harness.claude]\ncomand = 'x'",
    '2:1: "harness.claude.comand" is not known; expected command, args, env, model and idle_after',
  ],
  ["[idle]\nafter = 30", '2:1: "idle.after": expected a text in quotes'],
  [
    "\n[harnes.claude]\ncommand = 'x'",
    '2:1: "harnes" is not known; expected [harness.NAME], [agent], [idle], [checkpoints] and [notify]',
  ],
  ["[harness.claude]\nmodel = 4", '2:1: "harness.claude.model": expected a text in quotes'],
  ["[harness.claude]\nargs = 'x'", '2:1: "harness.claude.args": expected a list'],
  ["[harness.claude]\nargs = [\n  'x',\n  7,\n]", '4:3: "harness.claude.args.1": expected a text in quotes'],
  ["[harness.claude]\ncommand = ''", '2:1: "harness.claude.command": expected something that is not empty'],
  ["[harness.claude.env]\nA = 1", '2:1: "harness.claude.env.A": expected a text in quotes'],
  ["[harness.claude]\nenv = { A = 1 }", '2:9: "harness.claude.env.A": expected a text in quotes'],
  ["harness = 1", '1:1: "harness": expected a table'],
  [
    "[harness.builtin]\nargs = []\ncommand = 'x'",
    '3:1: "harness.builtin.command": it is Signalbox\'s own program; expected args, env or model',
  ],
  [
    "[harness.'My Agent']\ncommand = 'x'",
    '1:1: "harness.My Agent" is no name; expected small letters, digits and dashes, or a variable\'s name',
  ],
  ["[agent]\nhooks = []", '2:1: "agent.hooks" is not known; expected post_tool_hooks and mcp_servers'],
])("%j is told with its place", (text, flaw) => {
  expect(flawOf(text)).toBe(`${FILE}:${flaw}`);
});

test("what is no TOML, and what is no text", () => {
  expect(flawOf("[harness.claude\ncommand = 'x'")).toMatch(/^[^:]+:1:\d+: Invalid TOML document/);
  expect(flawOf(Buffer.from([0x61, 0xff]))).toBe(`${FILE}:1:2: not valid UTF-8`);
});
