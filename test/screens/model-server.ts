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
    if (!existsSync(this.log)) return 0;
    const lines = readFileSync(this.log, "utf8").split("\n");
    return lines.filter((line) => line.includes('"kind"') && !line.includes('"tools":[]')).length;
  }

  /** Until it has been asked more often than `before`. */
  async isAsked(before: number): Promise<void> {
    const endsAtMs = Date.now() + TIMEOUT_MS;
    while (this.turns() <= before) {
      if (Date.now() > endsAtMs) throw new Error("the agent did not ask its model");
      await pause(POLL_MS);
    }
  }

  stop(): void {
    this.child.kill();
  }
}
