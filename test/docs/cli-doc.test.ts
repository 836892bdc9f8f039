import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { usageOf } from "../../src/cli/command-help.js";
import { COMMANDS } from "../../src/cli/command-table.js";
import { cliDoc } from "./cli-doc.js";

const PATH = fileURLToPath(new URL("../../docs/cli.md", import.meta.url));
const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

test("docs/cli.md says what the commands say (UPDATE=1 writes it)", async () => {
  const doc = await cliDoc();
  if (process.env["UPDATE"] === "1") writeFileSync(PATH, doc);
  expect(existsSync(PATH) ? readFileSync(PATH, "utf8") : "").toBe(doc);
});

/** Every line of an example that begins with `signalbox`, perhaps after a prompt. */
function commandLines(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|console)\n([^]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block.split("\n").flatMap((line) => /^(?:\$ )?(signalbox .*)$/.exec(line)?.[1] ?? []),
  );
}

test.each([
  "hooks.md",
  "security.md",
  "recovery.md",
  "api.md",
  "../README.md",
  "../skills/signalbox/SKILL.md",
])("the examples in %s use commands and options that there are", async (file) => {
  for (const line of commandLines(readFileSync(`${DOCS}${file}`, "utf8"))) {
    const [, name = ""] = line.split(" ");
    const entry = COMMANDS[name];
    expect(entry, line).toBeDefined();
    if (!entry) continue;
    const { flags } = usageOf(name, (await entry.load()).help);
    const used = line.replace(/"[^"]*"|'[^']*'|#.*$/g, "").match(/(?<=\s)--[a-z-]+/g) ?? [];
    const known = [...flags.map((flag) => flag.name), "--help"];
    expect(
      used.filter((flag) => !known.includes(flag)),
      line,
    ).toEqual([]);
  }
});
