/** What a person or a project adds to the built-in agent: skills, AGENTS.md, MCP servers, hooks; through real processes. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { ModelServer } from "../agents/model-server/model-server.js";
import { AgentHome, call } from "./agent-process.js";

let model: ModelServer;
let home: AgentHome;

beforeAll(async () => {
  model = await ModelServer.start();
});
afterAll(async () => {
  await model.close();
  expect(model.mistakes).toEqual([]);
});
beforeEach(() => {
  home = new AgentHome(model);
});
afterEach(async () => {
  await home.end();
});

const system = (): string => JSON.stringify(model.seen.at(-1)?.body["system"]);
const sent = (): string => JSON.stringify(model.seen.at(-1)?.body["messages"]);

describe("skills and context", () => {
  const skill = (name: string, head: string, body: string): void =>
    home.write(`.signalbox/skills/${name}/SKILL.md`, `---\nname: ${name}\n${head}\n---\n${body}\n`);

  test("skills are found and offered, but those for people only; the model loads one by name", async () => {
    skill("release", "description: How to release", "Tag it, then push.");
    skill("secret", "description: Not for models\ndisable-model-invocation: true", "Only for people.");
    const folder = join(home.home, ".config", "signalbox", "skills", "mine");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), "---\ndescription: My own\n---\nMy way.\n");
    const agent = await home.start();
    const told = await agent.turn(
      call("load_skill", { name: "release" }) +
        call("load_skill", { name: "secret" }) +
        call("load_skill", { name: "mine" }) +
        call("load_skill", { name: "none" }),
    );
    expect(told).toEqual([
      "Tag it, then push.\n",
      'The skill "secret" can only be called by the user.',
      "My way.\n",
      'There is no skill "none".',
    ]);
    expect(system()).toContain("- release: How to release");
    expect(system()).not.toContain("Not for models");
    // It does nothing that would have to be allowed.
    expect(agent.of("ask")).toEqual([]);
  });

  test("a budget for the list of skills", async () => {
    for (let index = 0; index < 150; index += 1)
      skill(`s${index}`, `description: ${"word ".repeat(60)}`, "Body.");
    const agent = await home.start();
    await agent.turn("[[text:Hi.]]");
    expect(system().length).toBeLessThan(10_000);
    expect(system()).toContain("… and more");
  });

  test("/name with hostile arguments: they reach the model, and never a shell", async () => {
    skill("greet", "description: Greets", "Say !`echo from-shell` to $ARGUMENTS.");
    const agent = await home.start("--trusted");
    const hostile = "$(touch owned) `touch owned`; touch owned !`touch owned` $& ' \" \\";
    agent.prompt(`/greet ${hostile}`);
    await agent.until("done");
    expect(home.has("owned")).toBe(false);
    expect(sent()).toContain(JSON.stringify(`Say from-shell to ${hostile}.\n`).slice(1, -1));
  });

  test("an untrusted project's skills run nothing; a trusted one's run what was trusted, not what came later", async () => {
    skill("touch", "description: Touches", "Now !`touch made; echo made`.");
    const untrusted = await home.start();
    expect(await untrusted.turn(call("load_skill", { name: "touch" }))).toEqual([
      "Now [not run, because this folder is not trusted: touch made; echo made].\n",
    ]);
    expect(home.has("made")).toBe(false);
    const trusted = await home.start("--trusted");
    expect(await trusted.turn(call("load_skill", { name: "touch" }))).toEqual(["Now made.\n"]);
    skill("touch", "description: Touches", "Now !`touch owned; echo owned`.");
    await trusted.turn("/reload");
    await trusted.turn(call("load_skill", { name: "touch" }));
    expect(home.has("owned")).toBe(false);
  });

  test("AGENTS.md is the project's word, and /reload reads it again", async () => {
    home.write("AGENTS.md", "Always use tabs.");
    const agent = await home.start();
    await agent.turn("[[text:Hi.]]");
    expect(system()).toContain("Always use tabs.");
    home.write("AGENTS.md", "Always use spaces.");
    await agent.turn("/reload");
    await agent.turn("[[text:Hi.]]");
    expect(system()).toContain("Always use spaces.");
    expect(system()).not.toContain("tabs");
  });

  test("200,000 characters of context: the first turn, a mark, the newest turns, and no call without its result", async () => {
    home.write("long.txt", `${"y".repeat(900)}\n`.repeat(100));
    const agent = await home.start();
    await agent.turn("[[text:The very first answer.]]");
    for (let turn = 0; turn < 4; turn += 1)
      await agent.turn(`turn ${turn} ${call("read_file", { file_path: "long.txt" })}`);
    const messages = sent();
    expect(messages.length).toBeLessThan(215_000);
    expect(messages).toContain("The very first answer.");
    expect(messages).toContain("[Earlier parts of this conversation are left out here.]");
    expect(messages).not.toContain("turn 0 ");
    expect(messages).toContain("turn 3 ");
    const ids = (kind: string): readonly string[] =>
      [...messages.matchAll(new RegExp(`"${kind}":"(toolu_\\w+)"`, "g"))].map(([, id]) => id ?? "");
    expect(ids("tool_use_id").toSorted()).toEqual(ids("id").toSorted());
    expect(ids("id").length).toBeGreaterThan(0);
  });
});

const SDK = new URL("../../node_modules/@modelcontextprotocol/sdk/dist/esm/", import.meta.url).href;
const ZOD = new URL("../../node_modules/zod/index.js", import.meta.url).href;
const SERVER = `
import { McpServer } from "${SDK}server/mcp.js";
import { StdioServerTransport } from "${SDK}server/stdio.js";
import { z } from "${ZOD}";
const server = new McpServer({ name: "sums", version: "1" });
server.registerTool("add", { description: "Adds.", inputSchema: { a: z.number(), b: z.number() } },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
server.registerTool("die", { description: "" }, () => process.exit(1));
await server.connect(new StdioServerTransport());
`;

describe("MCP servers", () => {
  test("on stdio: its tools are asked for like any other; one that dies in mid-call is an error result", async () => {
    home.write("server.mjs", SERVER);
    home.configure(
      `[agent.mcp_servers.sums]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["server.mjs"]\n` +
        `[agent.mcp_servers.gone]\ncommand = "no-such-program-here"\n`,
    );
    const agent = await home.start();
    expect((await agent.until("note")).text).toMatch(/^The MCP server gone cannot be used: /);
    agent.prompt(`${call("mcp__sums__add", { a: 2, b: 3 })}[[text:Five.]]`);
    const ask = await agent.approve(1);
    expect([ask.ask, ask.title, ask.name]).toEqual(["use_mcp_server", "add of sums", "mcp__sums__add"]);
    await agent.until("done");
    expect(agent.of("tool_result")).toMatchObject([{ content: "5", isError: false }]);
    const [died] = await agent.turn(`${call("mcp__sums__die", {})}[[text:It died.]]`);
    expect([agent.of("tool_result")[1]?.isError, died]).toEqual([
      true,
      "MCP error -32000: Connection closed",
    ]);
    // And the conversation goes on, with the server started again.
    const [after] = await agent.turn(`${call("mcp__sums__add", { a: 1, b: 1 })}[[text:Back.]]`);
    expect(after).toBe("2");
  });

  test("over HTTP, with its headers", async () => {
    const keys: unknown[] = [];
    const http = createServer((request, response) => {
      keys.push(request.headers["x-key"]);
      const server = new McpServer({ name: "greetings", version: "1" });
      server.registerTool("greet", { description: "", inputSchema: { name: z.string() } }, ({ name }) => ({
        content: [{ type: "text", text: `Hello ${name}` }],
      }));
      const transport = new StreamableHTTPServerTransport();
      server
        .connect(transport as Transport)
        .then(() => transport.handleRequest(request, response))
        .catch((error: unknown) => response.destroy(error as Error));
    }).listen(0, "127.0.0.1");
    await once(http, "listening");
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    home.configure(`[agent.mcp_servers.web]\nurl = "${url}"\nheaders = { x-key = "k" }\n`);
    try {
      const agent = await home.start();
      expect(await agent.turn(call("mcp__web__greet", { name: "you" }))).toEqual(["Hello you"]);
      expect(new Set(keys)).toEqual(new Set(["k"]));
    } finally {
      http.closeAllConnections();
      http.close();
    }
  });
});

describe("hooks after tools", () => {
  const hook = (fields: string): string => `[[agent.post_tool_hooks]]\n${fields}\n`;

  test("filter, warn, retry and time: each failure is told to the model", async () => {
    home.configure(
      hook(`command = "cat > seen.json"\ntools = ["write_*"]`) +
        hook(`command = "echo not nice; exit 3"\ntools = ["write_file"]`) +
        hook(`command = "test -e tried || { touch tried; exit 1; }"\non_failure = "retry"`) +
        hook(`command = "sleep 60"\ntimeout_s = 0.2\ntools = ["write_file"]`) +
        hook(`command = "touch for-shell"\ntools = ["execute_shell_command"]`),
    );
    const agent = await home.start();
    const [told] = await agent.turn(call("write_file", { file_path: "a.txt", content: "x" }));
    expect(told).toBe(
      [
        "Wrote a.txt.",
        'The hook "echo not nice; exit 3" failed:\nnot nice\n[exit code 3]',
        'The hook "sleep 60" failed:\n\n[It took longer than 0.2 s.]',
      ].join("\n"),
    );
    expect(JSON.parse(home.read("seen.json"))).toEqual({
      tool: "write_file",
      input: { file_path: "a.txt", content: "x" },
      isError: false,
    });
    expect([home.has("tried"), home.has("for-shell")]).toEqual([true, false]);
    expect(agent.lines.map(({ type }) => type).filter((type) => type.startsWith("hooks"))).toEqual([
      "hooks_started",
      "hooks_finished",
    ]);
  });

  test.each([{ XDG_CONFIG_HOME: "" }, { XDG_CONFIG_HOME: "." }, { HOME: "", XDG_CONFIG_HOME: "" }])(
    "of a project do not pass for the person's own with %j",
    async (variables) => {
      Object.assign(home.variables, variables);
      for (const folder of ["signalbox", ".config/signalbox"])
        home.write(`${folder}/config.toml`, hook(`command = "touch owned"`));
      const agent = await home.start();
      await agent.turn(call("write_file", { file_path: "a.txt", content: "x" }));
      expect([home.read("a.txt"), home.has("owned")]).toEqual(["x", false]);
    },
  );

  test("one that stops the turn: the tool's result stays, and nothing more is asked of the model", async () => {
    home.configure(hook(`command = "echo enough; exit 1"\non_failure = "stop"`));
    const agent = await home.start();
    agent.prompt(`${call("write_file", { file_path: "a.txt", content: "x" })}[[text:Never.]]`);
    await agent.approve(1);
    const { message } = await agent.until("failed");
    expect(message).toBe('The hook "echo enough; exit 1" failed:\nenough\n[exit code 1]');
    expect([home.read("a.txt"), agent.of("request").length]).toEqual(["x", 1]);
    expect(agent.of("tool_result")[0]?.content).toMatch(/^Wrote a\.txt\./);
    expect([agent.of("done"), agent.of("text").some(({ text }) => text.includes("Never"))]).toEqual([
      [],
      false,
    ]);
  });
});
