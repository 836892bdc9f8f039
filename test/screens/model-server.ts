/** The scripted model behind an agent whose screens are captured, and what it has been asked. */
import { ModelServer as Server } from "../agents/model-server/model-server.js";
import { pause } from "./live-terminal.js";

const POLL_MS = 50;
const TIMEOUT_MS = 30_000;

export class ModelServer {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<ModelServer> {
    return new ModelServer(await Server.start());
  }

  get url(): string {
    return this.server.url;
  }

  /** How many turns it has been asked to go on with; titles and summaries, which come without tools, are none. */
  turns(): number {
    return this.server.seen.filter(({ tools }) => tools.length > 0).length;
  }

  /** How many of its answers to prompts with an id were broken off by the agent. */
  brokenOff(): number {
    const timelines = Object.values(this.server.truth.all());
    return timelines.flat().filter(({ what }) => what === "hung_up").length;
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

  async close(): Promise<void> {
    await this.server.close();
  }
}
