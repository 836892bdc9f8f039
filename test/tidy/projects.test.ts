/** One TypeScript project per folder of `src`; their references are the walls. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { manifest, readJson } from "./repository.js";
import { ROOT } from "./root.js";
import { WALLS } from "./walls.js";

interface ProjectConfig {
  readonly extends?: string;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
  readonly references: readonly { readonly path: string }[];
}

const FOLDERS = readdirSync(join(ROOT, "src"));

function project(path: string): ProjectConfig {
  return readJson(`${path}/tsconfig.json`) as ProjectConfig;
}

test("every folder of src has its place in the walls", () => {
  expect(FOLDERS.filter((folder) => !Object.hasOwn(WALLS, folder))).toEqual([]);
});

test("no wall lets folders import each other in a circle", () => {
  const reach = (folder: string): readonly string[] =>
    (WALLS[folder] ?? []).flatMap((target) => [target, ...reach(target)]);
  expect(Object.keys(WALLS).filter((folder) => reach(folder).includes(folder))).toEqual([]);
});

describe.each(FOLDERS)("src/%s", (folder) => {
  test("refers to the folders it may import, and to no other", () => {
    const allowed = (WALLS[folder] ?? []).filter((target) => FOLDERS.includes(target));
    const references = project(`src/${folder}`).references.map(({ path }) => path);
    expect(references.toSorted()).toEqual(allowed.map((target) => `../${target}`).toSorted());
  });

  test("is as strict as all others, and keeps to its own folder", () => {
    const config = project(`src/${folder}`);
    expect(config.extends).toBe("../../tsconfig.base.json");
    const own = Object.keys(config.compilerOptions).filter((option) => !OWN_OPTIONS.includes(option));
    expect(own).toEqual([]);
    expect(config.compilerOptions["rootDir"]).toBe(".");
  });

  test("is built by the root project", () => {
    const { references } = readJson("tsconfig.json") as ProjectConfig;
    expect(references.map(({ path }) => path)).toContain(`src/${folder}`);
  });
});

const OWN_OPTIONS = ["lib", "types", "jsx", "rootDir", "outDir", "tsBuildInfoFile"];

test("core is compiled as if there were no world", () => {
  const { lib, types } = project("src/core").compilerOptions;
  expect({ lib, types }).toEqual({ lib: ["ES2023"], types: [] });
});

/** What a person who installs Signalbox gets along with it, and why. */
const DEPENDENCIES: Readonly<Record<string, string>> = {
  "@ai-sdk/anthropic": "the built-in agent's models",
  "@ai-sdk/google": "the built-in agent's models",
  "@ai-sdk/openai": "the built-in agent's models",
  "@ai-sdk/openai-compatible": "the built-in agent's models: any server that speaks OpenAI's API",
  "@lydell/node-pty": "PTYs, with its binary inside the package: no compiler is needed",
  "@modelcontextprotocol/sdk": "tools of MCP servers, for the built-in agent; and signalbox mcp",
  "@opentelemetry/api": "traces: what spans are",
  "@opentelemetry/exporter-trace-otlp-http": "traces: the standard wire, loaded only when asked for",
  "@opentelemetry/resources": "traces: who speaks",
  "@opentelemetry/sdk-trace-base": "traces: batching, loaded only when asked for",
  "@xterm/addon-serialize": "the snapshot of a terminal's screen",
  "@xterm/headless": "what a terminal's screen shows",
  ai: "streams of the built-in agent's models, whoever provides them",
  diff: "what a file's change looks like",
  ink: "signalbox top: React in a terminal, loaded by that command only",
  libsql: "SQLite, with its binary inside the package, on Node 20 too",
  react: "what Ink draws with",
  "smol-toml": "TOML with the line and column of what is wrong",
  unbash: "bash's grammar, typed and without dependencies: what a shell line would run",
  uqr: "the QR code of signalbox pair, typed and without dependencies",
  ws: "WebSockets for terminals",
  zod: "schemas of everything on a wire or disk",
};

test("every dependency has its reason", () => {
  expect(Object.keys(manifest().dependencies ?? {}).toSorted()).toEqual(Object.keys(DEPENDENCIES).toSorted());
});
