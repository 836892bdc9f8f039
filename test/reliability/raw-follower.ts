import { request, type IncomingMessage } from "node:http";

/** One of very many clients of the event stream: it keeps only texts and the last position. */
export class RawFollower {
  readonly faults: string[] = [];
  completedTurns = 0;
  private position = 0;
  private unread = "";
  private readonly texts = new Map<string, string>();

  static async open(
    daemon: { readonly url: string; readonly token: string },
    sessionId: string | null,
  ): Promise<RawFollower> {
    const query = sessionId === null ? "" : `?session=${sessionId}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${daemon.url}/v1/events${query}`, {
        agent: false,
        headers: { authorization: `Bearer ${daemon.token}` },
      })
        .once("response", resolve)
        .once("error", reject)
        .end();
    });
    if (response.statusCode !== 200) throw new Error(`the event stream answered ${response.statusCode}`);
    return new RawFollower(response, sessionId);
  }

  private constructor(
    private readonly response: IncomingMessage,
    readonly sessionId: string | null,
  ) {
    response.setEncoding("utf8").on("data", (text: string) => this.take(text));
    response.on("error", (error) => this.faults.push(error.message));
  }

  textOf(sessionId: string): string {
    return this.texts.get(sessionId) ?? "";
  }

  close(): void {
    this.response.removeAllListeners("error").on("error", () => undefined);
    this.response.destroy();
  }

  private take(text: string): void {
    const frames = (this.unread + text).split("\n\n");
    this.unread = frames.pop() ?? "";
    for (const frame of frames) this.takeFrame(frame);
  }

  private takeFrame(frame: string): void {
    const field = (name: string): string | undefined =>
      frame
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const event = field("event");
    // How the daemon is has no position.
    if (event === undefined || event === "health") return;
    const position = Number(field("id"));
    if (!(position > this.position)) this.faults.push(`${position} after ${this.position} (${event})`);
    this.position = position;
    if (event !== "agent:stream_event") return;
    const { sessionId, type, payload } = JSON.parse(field("data") ?? "") as {
      readonly sessionId: string;
      readonly type: string;
      readonly payload: { readonly text?: string };
    };
    if (type === "text_delta") this.texts.set(sessionId, this.textOf(sessionId) + (payload.text ?? ""));
    if (type === "completed") this.completedTurns += 1;
  }
}
