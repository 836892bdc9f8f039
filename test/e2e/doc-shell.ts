/** A person's machine for the examples of one document: a home, a data folder and a shell of its own. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../cli/signalbox.js";

/** What examples call beside Signalbox and must not reach from here, and with which status that ends. */
const STUBS: Readonly<Record<string, number>> = {
  ...{ "notify-send": 0, "xdg-open": 0, open: 0 },
  ...{ systemctl: 1, launchctl: 1, claude: 1 },
};

export interface Ran {
  readonly status: number;
  /** What it wrote to stdout and stderr, as both come in one terminal. */
  readonly printed: string;
}

export class DocShell {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-doc-")));
  readonly home = join(this.folder, "home");
  readonly config = join(this.home, ".config/signalbox");
  /** Where the reader is, unless the document speaks of its own repository. */
  readonly repo = join(this.home, "repo");
  private readonly bin = join(this.folder, "bin");

  constructor() {
    for (const folder of [this.home, this.repo, this.config, this.bin])
      mkdirSync(folder, { recursive: true });
    for (const [name, status] of Object.entries(STUBS)) this.program(name, `exit ${status}`);
    this.program("node", `exec "${process.execPath}" "$@"`);
    this.program("signalbox", `exec "${process.execPath}" "${PROGRAM}" "$@"`);
  }

  run(command: string, cwd: string, input = ""): Promise<Ran> {
    const env = {
      PATH: `${this.bin}:/usr/bin:/bin`,
      HOME: this.home,
      SIGNALBOX_PORT: "0",
      // Examples run in this repository, where other sessions of the same document are alive.
      SIGNALBOX_WORKSPACES: "off",
      XDG_RUNTIME_DIR: this.folder,
      SHELL: "/bin/sh",
      LC_ALL: "C.UTF-8",
    };
    return new Promise((resolve) => {
      const child = execFile("bash", ["-c", `{ ${command}\n} 2>&1`], { cwd, env }, (error, printed) =>
        resolve({
          status: typeof error?.code === "number" ? error.code : error ? -1 : 0,
          printed: printed.replaceAll(this.home, "~"),
        }),
      );
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
  }

  async end(): Promise<void> {
    await this.run("signalbox down --all", this.home);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private program(name: string, body: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(this.bin, name), 0o755);
  }
}
