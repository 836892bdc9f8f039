import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./read-config.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "signalbox-config-"));
  mkdirSync(join(root, "project", ".signalbox"), { recursive: true });
  mkdirSync(join(root, "own"));
});
afterEach(() => rmSync(root, { recursive: true }));

const hook = (command: string): string => `[[agent.post_tool_hooks]]\ncommand = "${command}"\n`;
const own = (text: string): void => writeFileSync(join(root, "own", "config.toml"), text);
const project = (text: string): void =>
  writeFileSync(join(root, "project", ".signalbox", "config.toml"), text);
const read = (isTrusted: boolean) => readConfig(join(root, "own"), join(root, "project"), isTrusted);
const commandsIn = ({ config }: ReturnType<typeof readConfig>): readonly string[] =>
  config.post_tool_hooks.map(({ command }) => command);

test("a project's hooks count only where it is trusted, after the person's own; its MCP servers never", () => {
  expect([commandsIn(read(false)), commandsIn(read(true))]).toEqual([[], []]);
  own(hook("mine"));
  project(`${hook("theirs")}[agent.mcp_servers.x]\ncommand = "evil"\n`);
  expect(commandsIn(read(false))).toEqual(["mine"]);
  expect(commandsIn(read(true))).toEqual(["mine", "theirs"]);
  expect(read(true).config.mcp_servers).toEqual({});
});

test("a flaw in a project's file is told, and one in the person's own is an end", () => {
  own(hook("mine"));
  for (const text of ["[agent", "[agent]\npost_tool_hooks = 1\n"]) {
    project(text);
    const { config, problems } = read(true);
    expect(config.post_tool_hooks).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(join(root, "project", ".signalbox", "config.toml"));
    expect(read(false).problems).toEqual([]);
  }
  own("[agent");
  expect(() => read(false)).toThrow(join(root, "own", "config.toml"));
});
