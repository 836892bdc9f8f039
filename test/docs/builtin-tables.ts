/** The tables of `docs/builtin-agent.md`, from what the agent itself goes by. */
import { MODEL_PRICES } from "../../src/agent/models/model-prices.js";
import { allTools, describeTools } from "../../src/agent/tools/all-tools.js";
import type { Json } from "../../src/core/index.js";
import { AGENT_PROVIDERS, type AgentProvider } from "../../src/protocol/agent-providers.js";

type Row = readonly string[];

export const BUILTIN_TABLES: Readonly<Record<string, () => string>> = {
  providers: () => table(["provider", "must be set", "another server", "else"], providers()),
  prices: () => table(["model", "input", "cached", "written to the cache", "output"], prices()),
  tools: () => table(["tool", "capability", "asked for as", "input"], tools()),
};

function providers(): readonly Row[] {
  const all: readonly AgentProvider[] = Object.values(AGENT_PROVIDERS);
  return all.map(({ name, key, secondKey, baseUrl, defaultUrl }) => [
    code(name),
    key === null
      ? "nothing"
      : [key, secondKey ?? ""]
          .filter((each) => each !== "")
          .map(code)
          .join(" or "),
    code(baseUrl),
    defaultUrl === null ? "" : code(defaultUrl),
  ]);
}

function prices(): readonly Row[] {
  return Object.entries(MODEL_PRICES).flatMap(([provider, models]) =>
    Object.entries(models).flatMap(([model, { input, cached, cacheWrite, output, above }]) => [
      [code(`${provider}/${model}`), `${input}`, `${cached}`, `${cacheWrite ?? input}`, `${output}`],
      ...(above
        ? [
            [
              `… above ${above.inputTokens.toLocaleString("en")} tokens`,
              `${above.input}`,
              `${above.cached}`,
              `${above.input}`,
              `${above.output}`,
            ],
          ]
        : []),
    ]),
  );
}

function tools(): readonly Row[] {
  const all = allTools({
    backups: "",
    conversations: "",
    env: {},
    loadSkill: () => Promise.resolve(""),
    more: [],
  });
  return describeTools(all).map(({ name, inputSchema }) => {
    const tool = all.get(name);
    const asked = tool === undefined || tool.ask === "none" ? "" : code(tool.ask);
    return [code(name), tool?.capability ? code(tool.capability) : "", asked, inputs(inputSchema)];
  });
}

interface Field {
  readonly default?: Json;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
}

function inputs(schema: Readonly<Record<string, Json>>): string {
  const fields = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Field>>);
  const required = (schema["required"] ?? []) as readonly string[];
  return fields
    .map(([name, field]) => {
      const value = field.default === undefined ? "" : ` = ${JSON.stringify(field.default)}`;
      const optional = value === "" && !required.includes(name) ? "?" : "";
      // What zod says of a number without a bound.
      const isBounded = field.maximum !== undefined && field.maximum < Number.MAX_SAFE_INTEGER;
      const bound = isBounded ? ` ≤ ${field.maximum}` : field.maxItems ? ` ≤ ${field.maxItems} of them` : "";
      const one = field.enum ? ` (${field.enum.join(", ")})` : "";
      return `${code(`${name}${optional}${value}`)}${bound}${one}`;
    })
    .join(", ");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** As prettier writes it. */
function table(header: Row, rows: readonly Row[]): string {
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (row: Row): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
