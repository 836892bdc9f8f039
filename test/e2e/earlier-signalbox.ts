/**
 * An earlier Signalbox, from the history of this repository: its own daemon, keeper and journal, with which real agents are
 * started before an upgrade. Types are left out rather than checked, so that it takes a second or two.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { transformWithEsbuild } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below the repository, so that it finds the same packages. */
const BUILDS = join(ROOT, ".artifacts");
const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
const PARTS = [
  "agent",
  "client",
  "core",
  "daemon",
  "harness",
  "journal",
  "keeper",
  "permissions",
  "protocol",
];
const MORE_PARTS = ["runtime", "terminal"];

/** False in a clone without history, and where no git repository is. */
export function isInHistory(commit: string): boolean {
  return spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT }).status === 0;
}

export class EarlierSignalbox {
  /** `version`: the one that it says to be; the number of the package has not moved since then. */
  static async build(commit: string, version: string): Promise<EarlierSignalbox> {
    mkdirSync(BUILDS, { recursive: true });
    const folder = mkdtempSync(join(BUILDS, "earlier-"));
    const listed = execFileSync("git", ["ls-tree", "--name-only", `${commit}:src`], {
      cwd: ROOT,
      encoding: "utf8",
    }).split("\n");
    const parts = [...PARTS, ...MORE_PARTS].filter((part) => listed.includes(part));
    const archive = execFileSync(
      "git",
      [
        "archive",
        "--format=tar",
        commit,
        ...parts.map((part) => `src/${part}`),
        "package.json",
        "tsconfig.base.json",
      ],
      { cwd: ROOT, maxBuffer: ARCHIVE_BYTES_MAX },
    );
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    const manifest = join(folder, "package.json");
    writeFileSync(
      manifest,
      readFileSync(manifest, "utf8").replace(/"version": "[^"]*"/, `"version": "${version}"`),
    );
    for (const file of sourcesIn(join(folder, "src"))) {
      const target = join(folder, "dist", relative(folder, file)).replace(/\.ts$/, ".js");
      const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), file, {
        loader: "ts",
        format: "esm",
        target: "node20",
        sourcemap: false,
        tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      });
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    }
    return new EarlierSignalbox(folder);
  }

  private constructor(private readonly folder: string) {}

  /** Its daemon, as a process of its own; it starts its own keeper. */
  async start(dataDir: string, env: Readonly<Record<string, string>>): Promise<EarlierDaemon> {
    const main = join(this.folder, "dist/src/daemon/main.js");
    const child = spawn(process.execPath, [main, "--data-dir", dataDir, "--port", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-20_000)));
    const exited = once(child, "exit");
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as { readonly url?: string; readonly token?: string };
      if (said.url !== undefined && said.token !== undefined)
        return new EarlierDaemon(said.url, said.token, exited);
    }
    throw new Error(`the earlier daemon ended before it was ready:\n${log}`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Called as its own clients did: ours might understand more than it says. */
export class EarlierDaemon {
  constructor(
    readonly url: string,
    private readonly token: string,
    readonly exited: Promise<unknown>,
  ) {}

  async call(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}
