import { afterEach, expect, test } from "vitest";
import { problem, ScriptedServer, type Script } from "../../test/cli/scripted-server.js";
import { EVENT_COUNT, seeded, textAt, unreliable } from "../../test/cli/unreliable-events.js";
import { createBareClient, NO_CHECKS } from "../client/bare-client.js";
import { Connection } from "../client/connection.js";
import { readEventStream } from "../client/event-stream.js";
import { SignalboxError } from "../client/signalbox-error.js";
import { httpFetch } from "./http-fetch.js";

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

async function clientOf(script: Script) {
  server = await ScriptedServer.start(script);
  return createBareClient({ url: server.url, token: "t", fetch: httpFetch, timeoutMs: 300 });
}

test("asks and answers as fetch does", async () => {
  const client = await clientOf(({ line, headers, body }) => [
    202,
    { line, body, authorization: headers.authorization, type: headers["content-type"] },
  ]);
  expect(await client.sendMessage("s1", { text: "Grüße" })).toEqual({
    line: "POST /v1/sessions/s1/messages",
    body: { text: "Grüße" },
    authorization: "Bearer t",
    type: "application/json",
  });
});

test("fails as fetch does", async () => {
  const refused = await clientOf(() => problem(409, "ask_stale", "gone"));
  await expect(refused.listAsks()).rejects.toEqual(
    new SignalboxError({ code: "ask_stale", status: 409, detail: "gone" }),
  );
  await server?.close();
  await expect(refused.listAsks()).rejects.toThrow(/^cannot reach http:\S+: ECONNREFUSED$/);
  const silent = await clientOf(() => null);
  await expect(silent.listAsks()).rejects.toThrow(/: no answer within 300 ms$/);
});

test("an answer that stops in the middle is no answer", async () => {
  const halved = await clientOf((_exchange, response) => {
    response.writeHead(200, { "content-length": "100" }).write('{"items":');
    setTimeout(() => response.destroy(), 20);
    return null;
  });
  await expect(halved.listAsks()).rejects.toThrow(/^cannot reach /);
  await server?.close();
  const stuck = await clientOf((_exchange, response) => {
    response.writeHead(200).write('{"items":');
    return null;
  });
  await expect(stuck.listAsks()).rejects.toThrow(/: no answer within 300 ms$/);
});

test("a stream of events comes whole, and is let go", async () => {
  server = await ScriptedServer.start(unreliable(seeded(9)));
  const connection = new Connection({ url: server.url, fetch: httpFetch });
  const hasty = { delayMinMs: 1, delayMaxMs: 4, silenceMaxMs: 10_000 };
  const positions: number[] = [];
  for await (const item of readEventStream(connection, NO_CHECKS, { after: 0 }, hasty)) {
    if (item.type !== "event") continue;
    expect(item.event).toEqual(textAt(item.position));
    positions.push(item.position);
    if (item.position === EVENT_COUNT) break;
  }
  expect(positions).toEqual(Array.from({ length: EVENT_COUNT }, (_, index) => index + 1));
  await expect.poll(() => server?.openAnswers, { timeout: 10_000 }).toBe(0);
});
