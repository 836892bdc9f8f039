/** The scripted model server, and what it has been asked: when an agent has asked it, the agent is working. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { pause } from "./live-terminal.js";

const START_MS = 1_000;
const POLL_MS = 50;
const TIMEOUT_MS = 30_000;

export class ModelServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly log: string,
    readonly url: string,
  ) {}

  static async start(program: string, port: number, log: string): Promise<ModelServer> {
    const args = [program, "--port", `${port}`, "--log", log];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    await pause(START_MS);
    return new ModelServer(child, log, `http://127.0.0.1:${port}`);
  }

  /** How many turns it has been asked to go on with; titles and summaries, which come without tools, are none. */
  turns(): number {
    return this.lines().filter((line) => line.includes('"kind"') && !line.includes('"tools":[]')).length;
  }

  /** How many of its answers were broken off by the agent. */
  brokenOff(): number {
    return this.lines().filter((line) => line.includes('"client-closed-early"')).length;
  }

  private lines(): readonly string[] {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n") : [];
  }

  /** Until it has been asked more often than `before`. */
  async isAsked(before: number): Promise<void> {
    const endsAtMs = Date.now() + TIMEOUT_MS;
    while (this.turns() <= before) {
      if (Date.now() > endsAtMs) throw new Error("the agent did not ask its model");
      await pause(POLL_MS);
    }
  }

  /** Until nothing has been asked for a while: whoever was told to stop has done so, or has given up. */
  async isLeftAlone(quietMs: number): Promise<void> {
    const endsAtMs = Date.now() + 4 * TIMEOUT_MS;
    let sinceMs = Date.now();
    for (let seen = this.turns(); Date.now() - sinceMs < quietMs && Date.now() < endsAtMs;) {
      await pause(POLL_MS);
      if (this.turns() === seen) continue;
      seen = this.turns();
      sinceMs = Date.now();
    }
  }

  stop(): void {
    this.child.kill();
  }
}
