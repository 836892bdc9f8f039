import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listeningIn, loopbackOf, PublishedPorts } from "./published-ports.js";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 00000000:1435 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2
   2: 0100007F:0BB8 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 3
   3: 0500000A:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4
  sl  local_address                         remote_address                        st
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000
   2: B80D0120000000000000000001000000:0051 00000000000000000000000000000000:0000 0A 00000000:00000000
`;

let folder = "";
let server: Server;
let ports: PublishedPorts;
let sockets: Socket[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-ports-"));
  ports = new PublishedPorts({ runId: "s.1", admit: () => true, idleMsMax: 60_000, halfIdleMsMax: 60_000 });
  server = createServer({ allowHalfOpen: true }, (socket) => ports.take(socket)).listen(join(folder, "back"));
  await once(server, "listening");
});

afterEach(() => {
  ports.stop();
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.close();
  rmSync(folder, { recursive: true });
});

/** Somebody inside, who says this first. */
function says(line: string): Socket {
  const socket = connect({ path: join(folder, "back"), allowHalfOpen: true }).on("error", () => undefined);
  socket.write(`${line}\n`);
  sockets.push(socket);
  return socket;
}

/** A relay that knows this table, and in whose network every port answers with its order. */
function relay(table: string): Socket {
  const orders = says("relay");
  orders.on("data", (data: Buffer) => {
    for (const line of data.toString().trim().split("\n")) {
      const [name = "", port] = line.split(" ");
      says(name).end(port === "0" ? table : `answer of ${line.slice(name.length + 1)}`);
    }
  });
  return orders;
}

async function answerOf({ host, at }: { readonly host: string; readonly at: number }): Promise<string> {
  const socket = connect({ host, port: at });
  sockets.push(socket);
  let text = "";
  socket.on("data", (data: Buffer) => (text += data.toString()));
  await once(socket, "close");
  return text;
}

test("what can be reached from loopback, each port once, and by which kind", () => {
  expect(listeningIn(TABLE)).toEqual([
    { port: 3_000, family: 4 },
    { port: 5_173, family: 4 },
    { port: 8_080, family: 6 },
  ]);
});

test("each is reached at an address of the run's own, and no more once nobody listens", async () => {
  const first = relay(TABLE);
  await expect.poll(async () => (await ports.ports([5_173])).map(({ port }) => port)).toEqual([3_000, 8_080]);
  const [four, six] = await ports.ports([5_173]);
  if (!four || !six) throw new Error("not found");
  expect(four).toEqual({ port: 3_000, host: loopbackOf("s.1"), at: 3_000 });
  expect(await answerOf(four)).toBe("answer of 3000 4");
  expect(await answerOf(six)).toBe("answer of 8080 6");
  first.destroy();
  await expect.poll(() => ports.ports([])).toEqual([]);
  await expect(answerOf(four)).rejects.toThrow("ECONNREFUSED");
});

test("addresses of runs are on loopback, not Signalbox's own, and differ", () => {
  const all = Array.from({ length: 100 }, (_, index) => loopbackOf(`s.${index}`));
  expect(all.filter((each) => !/^127\.(?:6[4-9]|[7-9]\d|1\d\d)\.\d{1,3}\.\d{1,3}$/.test(each))).toEqual([]);
  expect(new Set(all).size).toBe(100);
});

test("who says what nobody waits for is ended", async () => {
  const stranger = says("17");
  stranger.resume();
  await once(stranger, "end");
  const endless = says("x".repeat(200));
  endless.resume();
  await once(endless, "end");
});
