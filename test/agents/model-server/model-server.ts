/**
 * A model that does what the prompt says, on 127.0.0.1, for the real agents: it speaks the APIs of Anthropic, OpenAI
 * and Google. See `script.ts` for what a prompt can say. `GET /truth` tells what it did, and when.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicWire } from "./anthropic.js";
import { chatCompletionsWire } from "./chat-completions.js";
import { isBody, type Body, type Conversation, type OfferedTool } from "./conversation.js";
import { geminiWire } from "./gemini.js";
import { MODEL, sideAnswer } from "./side-answers.js";
import { planReply, type Plan } from "./reply.js";
import { responsesWire } from "./responses.js";
import { ScriptError } from "./script.js";
import { Truth } from "./truth.js";
import type { Frame, Wire } from "./wire.js";

export { MODEL };

const WIRES: readonly Wire[] = [anthropicWire, chatCompletionsWire, responsesWire, geminiWire];

const BODY_BYTES_MAX = 32 * 1024 * 1024;
const RETRY_AFTER_S = 1;
/** After how many pieces of text a stream stops or breaks, when the script says so. */
const PIECES_BEFORE_HANG = 1;
const PIECES_BEFORE_DROP = 2;
const REQUESTS_KEPT_MAX = 1_000;

/** One request to a model, for tests that ask what an agent really sent. */
export interface SeenRequest {
  readonly path: string;
  readonly body: Body;
  /** What the agent offered its model. */
  readonly tools: readonly OfferedTool[];
}

export class ModelServer {
  readonly truth = new Truth();
  /** The newest requests, oldest first. */
  readonly seen: SeenRequest[] = [];
  /** What a test has done wrong in a script. */
  readonly mistakes: string[] = [];
  private readonly attempts = new Map<string, number>();
  private readonly mended = new Set<string>();
  private readonly closing = new AbortController();
  private answers = 0;

  static async start(): Promise<ModelServer> {
    const http = createServer();
    const server = new ModelServer(http);
    http.on("request", (request: IncomingMessage, response: ServerResponse) => {
      server.serve(request, response).catch((error: unknown) => server.fail(response, error));
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    return server;
  }

  private constructor(private readonly http: Server) {}

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  /** From now on, prompts with this id do not fail. */
  mend(id: string): void {
    this.mended.add(id);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.http.close();
    this.http.closeAllConnections();
    await once(this.http, "close");
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const body = await readBody(request);
    if (pathname === "/truth") {
      sendJson(response, 200, this.truth.all());
      return;
    }
    const wire = request.method === "POST" ? WIRES.find(({ matches }) => matches(pathname)) : undefined;
    if (!wire) {
      const answer = sideAnswer(pathname);
      sendJson(response, answer === null ? 404 : 200, answer ?? { error: { message: "no such path" } });
      return;
    }
    const conversation = wire.read(body, pathname);
    this.seen.push({ path: pathname, body, tools: conversation.tools });
    if (this.seen.length > REQUESTS_KEPT_MAX) this.seen.shift();
    await this.answer(wire, conversation, response);
  }

  private async answer(wire: Wire, conversation: Conversation, response: ServerResponse): Promise<void> {
    this.answers += 1;
    const plan = planReply(conversation, `sb${this.answers}`);
    const { script, reply } = plan;
    this.truth.note(script.id, "request");
    response.on("close", () => {
      if (!response.writableFinished) this.truth.note(script.id, script.drop ? "dropped" : "hung_up");
    });
    const status = this.failureStatus(plan, wire);
    if (script.waitMs > 0) await this.pause(script.waitMs);
    if (status !== null) {
      const message = `scripted failure ${status}`;
      const { headers, body: problem } = wire.failure({ status, message, retryAfterS: RETRY_AFTER_S });
      this.truth.note(script.id, "error", String(status));
      sendJson(response, status, problem, headers);
      return;
    }
    if (conversation.stream) {
      if (!(await this.stream(plan, wire.frames(reply), response))) return;
    } else sendJson(response, 200, wire.whole(reply));
    const names = reply.calls.map(({ name }) => name).join(" ");
    this.truth.note(script.id, names === "" ? "done" : "tool_call_sent", names === "" ? undefined : names);
  }

  /** Whether this attempt fails, and how. */
  private failureStatus({ script, prompt }: Plan, wire: Wire): number | null {
    if (!script.error || this.mended.has(script.id ?? "")) return null;
    const key = `${wire.name} ${prompt}`;
    const attempt = (this.attempts.get(key) ?? 0) + 1;
    this.attempts.set(key, attempt);
    return attempt <= script.error.times ? script.error.status : null;
  }

  /** False when it did not come to its end. */
  private async stream(plan: Plan, frames: Iterable<Frame>, response: ServerResponse): Promise<boolean> {
    const { script, reply } = plan;
    const isLast = reply.calls.length === 0;
    let pieces = 0;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    });
    for (const { event, data, piece } of frames) {
      if (response.destroyed) return false;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
      if (piece === undefined) continue;
      if (pieces === 0) this.truth.note(script.id, "streaming");
      if (piece === "text") pieces += 1;
      if (script.hang && isLast && pieces >= PIECES_BEFORE_HANG) return false;
      if ((script.drop || script.cut) && isLast && pieces >= PIECES_BEFORE_DROP) {
        if (script.cut) response.end();
        else response.destroy();
        return false;
      }
      if (script.slowMs > 0) await this.pause(script.slowMs);
    }
    response.end();
    return true;
  }

  private pause(delayMs: number): Promise<void> {
    return sleep(delayMs, undefined, { signal: this.closing.signal });
  }

  private fail(response: ServerResponse, error: unknown): void {
    if (this.closing.signal.aborted) return;
    this.mistakes.push(error instanceof Error ? error.message : String(error));
    if (response.headersSent) response.destroy();
    else sendJson(response, error instanceof ScriptError ? 400 : 500, { error: { message: String(error) } });
  }
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  if (sizeBytes === 0) return {};
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return isBody(value) ? value : {};
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
