/** Every example of the documents, as a reader would type it: run, and held against what the document says. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { blocksOf, isAsShown, ShownIds, shownCommands, type Block } from "../docs/doc-blocks.js";
import { read } from "../tidy/repository.js";
import { ROOT } from "../tidy/root.js";
import { DocShell } from "./doc-shell.js";

const DOCUMENTS = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "skills/signalbox/SKILL.md"],
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md") && name !== "cli.md")
    .map((name) => `docs/${name}`),
];

/** Lines that cannot be run as they stand: what is run instead, or why nothing is. */
const INSTEAD: readonly (readonly [RegExp, string | { readonly not: string }])[] = [
  [/^npm (?:start|test|ci|run) ?/, { not: "it is this, or much longer; its name is looked up below" }],
  [/^npx (?:tsc|vitest) /, { not: "the compiler and the tests have been run" }],
  [/^alias signalbox=/, { not: "the shell has it on its PATH" }],
  // It ends when it is told to, and not with the first line: nothing may change after that.
  [
    /^signalbox ls --watch --json/,
    'exec 3< <(exec signalbox ls --watch --json); read -r line <&3; kill $!; test -n "$line"',
  ],
  [/^signalbox pair --url (\S+).*$/, "signalbox pair --no-wait --url $1"],
  [
    /^curl (.*):4747(.*)$/,
    'curl -fsS $1:$(signalbox status --json | grep -o "[0-9]*" | head -n 5 | tail -n 1)$2',
  ],
];

/** With which status something may end, when it is not 0: nobody is at the terminal, and no agent is installed. */
const STATUSES: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^signalbox run (?:demo|builtin) /, [1, 3]],
  [/^signalbox run claude /, [1]],
  [/^signalbox run script "Tidy up"/, [3]],
  [/^signalbox permissions trust \.$/, [1]],
  [/^kill /, [0]],
  [/^signalbox permissions test .*rm -rf/, [0, 1]],
  [/^node dist\/src\/cli\/main.js machine session/, [0, 1]],
];

/** What only reads may be read again until it is so: agents take their time. */
const READS = /^signalbox (?:ls|logs|asks|explain|show|status|harnesses) ?/;

const READS_MAX = 40;
const READ_AGAIN_MS = 250;

/** Which blocks are told by other tests, or are no examples of anything that runs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "": "text and pictures",
  tsx: "test/docs/react-example.test.ts compiles it",
  markdown: "a skill, as test/e2e/builtin-extensions.test.ts has them",
  json: "data; that it is JSON is looked at below",
};

test.each(DOCUMENTS)("%s", async (file) => {
  const shell = new DocShell();
  onTestFinished(() => shell.end());
  const reader = new Reader(file, shell);
  for (const block of blocksOf(file)) await reader.take(block);
});

/** Somebody who types what a document says, from its beginning to its end. */
class Reader {
  private readonly ids = new ShownIds();
  private hasBegun = false;

  constructor(
    private readonly file: string,
    private readonly shell: DocShell,
  ) {
    const project = join(shell.repo, ".signalbox");
    mkdirSync(project);
    writeFileSync(join(project, "permissions.toml"), '[permissions]\nallow = ["Shell(make *)"]\n');
  }

  async take(block: Block): Promise<void> {
    switch (block.language) {
      case "sh":
        return this.runScript(block);
      case "console":
        return this.runCommands(block);
      case "toml":
        return this.configure(block);
      case "js":
        return this.runProgram(block);
      case "ts":
        expect(read("src/core/roster/table.ts").text, block.at).toContain(block.text);
        return;
      case "json":
        JSON.parse(block.text);
        return;
      default:
        expect(Object.keys(ELSEWHERE), block.at).toContain(block.language);
    }
  }

  /** Every line, in one shell; the first that fails ends it. */
  private async runScript({ at, text }: Block): Promise<void> {
    for (const name of text.match(/(?<=npm run )[\w:]+/g) ?? [])
      expect(read("package.json").text, at).toContain(`"${name}":`);
    if (text.includes("signalbox ")) await this.begin();
    const lines = text.split("\n").flatMap((line) => this.lineInstead(line));
    if (lines.length === 0) return;
    const allowed = lines.flatMap((line) => statusesOf(line));
    const { status, printed } = await this.shell.run(
      ["set -e", ...lines.map(tolerant)].join("\n"),
      this.folder(),
    );
    expect([0, ...allowed], `${at}: ${lines.join("\n")}\n${printed}`).toContain(status);
  }

  private async runCommands({ at, text }: Block): Promise<void> {
    await this.begin();
    for (const { command, output } of shownCommands(text)) {
      const typed = this.ids.translate(command);
      let ran = await this.shell.run(typed, this.folder());
      const isRight = () => output === "" || isAsShown(output, ran.printed);
      for (let tries = 0; READS.test(command) && !isRight() && tries < READS_MAX; tries += 1) {
        await setTimeout(READ_AGAIN_MS);
        ran = await this.shell.run(typed, this.folder());
      }
      if (!isRight()) expect(`$ ${typed}\n${ran.printed}`, at).toBe(`$ ${command}\n${output}\n`);
      expect(statusesOf(command), `${at}: ${typed}\n${ran.printed}`).toContain(ran.status);
      this.ids.learn(output, ran.printed);
    }
  }

  /** A file of that name, which is then right if the daemon starts with it. */
  private async configure({ at, text }: Block): Promise<void> {
    const name = text.includes("[permissions]") ? "permissions.toml" : "config.toml";
    writeFileSync(join(this.shell.config, name), `${text}\n`);
    const { status, printed } = await this.shell.run(
      "signalbox down > /dev/null; signalbox up && signalbox permissions ls",
      this.folder(),
    );
    expect(status, `${at}: ${printed}`).toBe(0);
    expect(printed, at).not.toMatch(/not known|expected/);
  }

  private async runProgram({ at, text }: Block): Promise<void> {
    await this.begin();
    const { printed: ready } = await this.shell.run("signalbox up --json", this.folder());
    const { url, token } = JSON.parse(ready) as { readonly url: string; readonly token: string };
    const program = `const token = ${JSON.stringify(token)};\n${text.replace("http://127.0.0.1:4747", url)}`;
    const ran = await this.shell.run("node --input-type=module -", ROOT, program);
    expect(ran.status, `${at}: ${ran.printed}`).toBe(0);
    expect(ran.printed, at).toMatch(/completed\n$/);
  }

  /** The daemon runs, with what is there after `npm start`; and where a document speaks of a session, it is there. */
  private async begin(): Promise<void> {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const up = await this.shell.run("signalbox up --demo && signalbox new demo Go", this.folder());
    expect(up.status, up.printed).toBe(0);
    const id = up.printed.trim().split("\n").at(-1) ?? "";
    const waits = await this.shell.run(`signalbox wait ${id} --for waiting_approval`, this.folder());
    expect(waits, id).toEqual({ status: 0, printed: "Needs approval\n" });
    this.ids.learn("4f1c00000000", id);
  }

  private lineInstead(line: string): readonly string[] {
    const [pattern, instead] = INSTEAD.find(([candidate]) => candidate.test(line)) ?? [];
    if (pattern === undefined || instead === undefined) {
      const named = this.file.endsWith("SKILL.md") ? line.replaceAll(/\bID\b/g, "4f1c00000000") : line;
      return line.trim() === "" ? [] : [this.ids.translate(named)];
    }
    return typeof instead === "string" ? [line.replace(/ +#.*$/, "").replace(pattern, instead)] : [];
  }

  private folder(): string {
    return this.file === "README.md" ? ROOT : this.shell.repo;
  }
}

function statusesOf(command: string): readonly number[] {
  return STATUSES.find(([pattern]) => pattern.test(command))?.[1] ?? [0];
}

/** A line that may end with another status ends the script only with one that it may not. */
function tolerant(line: string): string {
  const statuses = statusesOf(line);
  return statuses.includes(0) && statuses.length === 1
    ? line
    : `{ ${line.replace(/ +#.*$/, "")}; } || case $? in ${statuses.join("|")}) ;; *) exit 99 ;; esac`;
}
