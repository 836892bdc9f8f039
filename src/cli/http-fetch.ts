/** `fetch` over `node:http`: the built-in one takes longer to load than all of `signalbox ls`. */
import { request, type IncomingMessage } from "node:http";
import type { BodyReader, FetchAnswer, FetchInit } from "../client/client.js";

/** `socket`: the daemon's, in the file system, in the place of its address. */
export async function httpFetch(url: string, init: FetchInit, socket?: string): Promise<FetchAnswer> {
  if (socket === undefined && !url.startsWith("http:")) return globalThis.fetch(url, init);
  const message = await answerTo(socket === undefined ? url : localUrl(url), init, socket);
  // Whoever reads it is told of the error; when nobody does any more, it is none.
  message.on("error", () => undefined);
  const status = message.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(", ") : (value ?? null);
      },
    },
    body: { getReader: () => readerOf(message) },
    text: () => readText(message, init.signal),
  };
}

/** The same path; a socket has neither a name nor TLS. */
export function localUrl(url: string): string {
  const { pathname, search } = new URL(url);
  return `http://localhost${pathname}${search}`;
}

function answerTo(
  url: string,
  { method, headers, body, signal }: FetchInit,
  socketPath: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A connection for each: one that was kept could be closed just when it is needed.
    const asked = request(url, {
      method,
      headers,
      agent: false,
      ...(socketPath === undefined ? {} : { socketPath }),
    });
    // Not by the option `signal`: that throws at nobody when the answer is complete.
    const stop = () => asked.destroy();
    signal.addEventListener("abort", stop);
    asked.once("close", () => signal.removeEventListener("abort", stop));
    asked.once("response", resolve);
    asked.on("error", (error) => reject(signal.aborted ? (signal.reason as Error) : error));
    asked.end(body);
  });
}

function readerOf(message: IncomingMessage): BodyReader {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  return {
    read: async () => {
      const { done, value } = await chunks.next();
      return { done: done === true, value };
    },
    cancel: () => {
      message.destroy();
      return Promise.resolve();
    },
  };
}

async function readText(message: IncomingMessage, signal: AbortSignal): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
