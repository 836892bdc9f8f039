/** A scripted server that the command line takes for its daemon: it is where the data folder says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problem, ScriptedServer, type Exchange, type Script } from "./scripted-server.js";
import { runSignalbox, startSignalbox, type Ended } from "./signalbox.js";

export const TOKEN = "the-token";

/** Answers by `METHOD path`, with or without the query; what is not there is not found. */
export type Answers = Readonly<Record<string, readonly [number, unknown?] | Script>>;

export class FakeDaemon {
  private constructor(
    private readonly server: ScriptedServer,
    readonly dataDir: string,
  ) {}

  static async start(answers: Answers): Promise<FakeDaemon> {
    const server = await ScriptedServer.start((exchange, response) => {
      if (exchange.line === "GET /healthz")
        return [200, { ok: true, version: "1.2.3", pid: process.pid, uptimeMs: 7_200_000 }];
      if (exchange.headers.authorization !== `Bearer ${TOKEN}`)
        return problem(401, "unauthorized", "no token");
      const answer = answers[exchange.line] ?? answers[exchange.line.split("?")[0] ?? ""];
      if (answer === undefined && exchange.line === "GET /v1/roster")
        return [200, { connected: null, position: 0, seats: [] }];
      if (answer === undefined) return problem(404, "session_not_found", `nothing at ${exchange.line}`);
      return typeof answer === "function" ? answer(exchange, response) : answer;
    });
    const dataDir = mkdtempSync(join(tmpdir(), "signalbox-cli-"));
    writeFileSync(
      join(dataDir, "daemon.json"),
      JSON.stringify({ url: server.url, pid: process.pid, version: "1.2.3", startedAtMs: 0 }),
    );
    writeFileSync(join(dataDir, "token"), `${TOKEN}\n`);
    return new FakeDaemon(server, dataDir);
  }

  get url(): string {
    return this.server.url;
  }

  /** What it was asked, but for its health. */
  get asked(): readonly (readonly [line: string, body?: unknown])[] {
    return this.server.exchanges
      .filter(({ line }) => line !== "GET /healthz")
      .map(({ line, body }: Exchange) => (body === undefined ? [line] : [line, body]));
  }

  /** How often somebody wanted to know whether it is there. */
  get healthCount(): number {
    return this.server.lines.filter((line) => line === "GET /healthz").length;
  }

  get env(): NodeJS.ProcessEnv {
    return { SIGNALBOX_DATA_DIR: this.dataDir, NO_COLOR: "1" };
  }

  run(args: readonly string[], input = ""): Promise<Ended> {
    return runSignalbox(args, input, this.env);
  }

  spawn(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    return startSignalbox(args, { ...this.env, ...env });
  }

  /** Ends every connection, as a daemon does that goes. */
  hangUp(): void {
    this.server.hangUp();
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.dataDir, { recursive: true, maxRetries: 5 });
  }
}
