import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SESSION_VARIABLE } from "../../protocol/session-variable.js";
import { tcpPeer, unixPeerIn } from "./local-peer.js";
import { TripWire, type TripWireOptions } from "./trip-wire.js";

const isLinux = process.platform === "linux";

function tripWire(more: Partial<TripWireOptions> = {}): TripWire {
  return new TripWire({
    keeperPid: () => null,
    isSession: (id) => id === "s1",
    runs: () => [],
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
    ...more,
  });
}

async function listening(at: string | number): Promise<Server> {
  const server = createServer();
  if (typeof at === "string") server.listen(at);
  else server.listen(at, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

/** A real process that connects, with these variables; `shell`: it is the child of a shell that stays. */
async function caller(server: Server, env: Readonly<Record<string, string>>, isLeaving = false) {
  const address = server.address() as AddressInfo | string;
  const target = typeof address === "string" ? JSON.stringify(address) : `${address.port},"127.0.0.1"`;
  const script = `const s = require("net").connect(${target}, () => { ${isLeaving ? "process.exit(0)" : ""} });`;
  const connected = once(server, "connection") as Promise<[Socket]>;
  const child = spawn(process.execPath, ["-e", script], { env: { ...process.env, ...env }, stdio: "ignore" });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const [socket] = await connected;
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  if (isLeaving) await exited;
  return { socket, pid: child.pid ?? 0 };
}

test.runIf(isLinux)("a program with a session's variable is that session's agent", async () => {
  const { socket } = await caller(await listening(0), { [SESSION_VARIABLE]: "s1" });
  expect(await tripWire().trace(socket)).toMatchObject({ kind: "agent", id: "s1" });
});

test.runIf(isLinux)(
  "the variable of another daemon's session says nothing, and none says nothing",
  async () => {
    const server = await listening(0);
    for (const env of [{ [SESSION_VARIABLE]: "other" }, { [SESSION_VARIABLE]: "" }]) {
      const { socket } = await caller(server, env);
      expect(await tripWire().trace(socket)).toBeNull();
    }
  },
);

test.runIf(isLinux)(
  "whoever descends from the keeper is an agent, by its run where that is known",
  async () => {
    const { socket, pid } = await caller(await listening(0), { [SESSION_VARIABLE]: "" });
    const wire = (more: Partial<TripWireOptions>) => tripWire(more).trace(socket);
    expect(await wire({ keeperPid: () => process.pid })).toEqual({
      kind: "agent",
      id: "",
      name: "a program that the keeper started",
    });
    expect(await wire({ runs: () => [{ sessionId: "s2", pid }] })).toMatchObject({ id: "s2" });
    // The keeper itself is none.
    expect(await wire({ keeperPid: () => pid })).toBeNull();
  },
);

test.runIf(isLinux)("who has gone before it was looked for is nobody's friend", async () => {
  const { socket } = await caller(await listening(0), {}, true);
  expect(await tripWire().trace(socket)).toMatchObject({ kind: "agent", id: "" });
});

test.runIf(isLinux)("a connection is looked up once", async () => {
  const { socket } = await caller(await listening(0), { [SESSION_VARIABLE]: "s1" });
  let looked = 0;
  const wire = tripWire({
    peerOf: () => {
      looked += 1;
      return Promise.resolve({ type: "elsewhere" });
    },
  });
  expect([await wire.trace(socket), await wire.trace(socket), looked]).toEqual([null, null, 1]);
});

test.runIf(isLinux)("a socket of the file system is followed, too", async () => {
  const server = await listening(join(tmpdir(), `signalbox-trip-${process.pid}.sock`));
  const { socket } = await caller(server, { [SESSION_VARIABLE]: "s1" });
  expect(await tripWire().trace(socket)).toMatchObject({ kind: "agent", id: "s1" });
});

const ROW = (own: string, other: string, inode: number) =>
  `   0: ${own} ${other} 01 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;

test.each([
  ["127.0.0.1", ROW("0100007F:B2C3", "0100007F:128B", 77), { type: "socket", inode: 77 }],
  ["127.0.0.1", ROW("0100007F:B2C3", "0100007F:128B", 0), { type: "gone" }],
  ["127.0.0.1", ROW("0100007F:B2C4", "0100007F:128B", 77), { type: "gone" }],
  ["::ffff:127.0.0.1", ROW("0100007F:B2C3", "0100007F:128B", 77), { type: "socket", inode: 77 }],
  [
    "127.0.0.1",
    ROW("0000000000000000FFFF00000100007F:B2C3", "0000000000000000FFFF00000100007F:128B", 78),
    { type: "socket", inode: 78 },
  ],
  [
    "::1",
    ROW("00000000000000000000000001000000:B2C3", "00000000000000000000000001000000:128B", 79),
    { type: "socket", inode: 79 },
  ],
  ["192.0.2.7", ROW("0100007F:B2C3", "0100007F:128B", 77), { type: "elsewhere" }],
])("from %s with the row %s: %j", (address, row, peer) => {
  const ends = { near: [address, 0xb2c3], far: [address, 0x128b] } as const;
  expect(tcpPeer([row, null], ends)).toEqual(peer);
});

test("without tables nobody can tell", () => {
  expect(tcpPeer([null, null], { near: ["127.0.0.1", 1], far: ["127.0.0.1", 2] })).toEqual({
    type: "elsewhere",
  });
});

test("ss tells which sockets belong together", () => {
  const table = "u_str ESTAB 0 0 /data/daemon.sock 900 * 901\nu_str ESTAB 0 0 * 901 * 900\n";
  expect(unixPeerIn(table, 900)).toEqual({ type: "socket", inode: 901 });
  expect(unixPeerIn(table, 5)).toEqual({ type: "gone" });
});
