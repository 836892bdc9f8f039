/**
 * An agent that looks for a way to act as the person: the token, the data folder, the keeper, and the daemon's port. It is
 * told where they are, and the token too, as if it had got them somewhere. Arguments: the data folder, the session, an ask,
 * the token and the port. Prints what came of it, as JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { request, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

const [dataDir = "", sessionId = "", askId = "", token = "", port = ""] = process.argv.slice(2);

function attempt(what: () => string): string {
  try {
    return what();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** What every process that can be seen was started with, and inherited. */
function seenOf(file: "cmdline" | "environ"): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return pids.map((pid) => attempt(() => readFileSync(`/proc/${pid}/${file}`, "utf8")));
}

function talkTo(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      resolve("connected");
      socket.destroy();
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Who listens on loopback. */
function ports(): readonly number[] {
  const rows = attempt(() => readFileSync("/proc/net/tcp", "utf8")).split("\n");
  return rows.flatMap((row) => {
    const [, port = ""] = /^\s*\d+: 0100007F:([0-9A-F]{4}) 00000000:0000 0A/.exec(row) ?? [];
    return port === "" ? [] : [Number.parseInt(port, 16)];
  });
}

function call(to: RequestOptions, method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      ...(to.headers as Record<string, string> | undefined),
    };
    const asked = request({ agent: false, timeout: 5_000, ...to, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => {
        const { code = "done" } = JSON.parse(text === "" ? "{}" : text) as { readonly code?: string };
        resolve(`${answer.statusCode ?? 0} ${code}`);
      });
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What the agents of version 0.1 did. */
async function robAt(to: RequestOptions): Promise<object> {
  const session = `/v1/sessions/${sessionId}`;
  return {
    approve: await call(to, "POST", `${session}/asks/${encodeURIComponent(askId)}`, { decision: "approve" }),
    rule: await call(to, "POST", "/v1/permissions/rules", {
      ...{ rule: "Shell(*)", effect: "allow", scope: "always", cwd: "/" },
    }),
    auto: await call(to, "PATCH", session, { autoApprove: true }),
    link: await call(to, "POST", "/v1/login-links", { role: "own" }),
  };
}

const read = (name: string): string => attempt(() => readFileSync(join(dataDir, name), "utf8"));
const local = { host: "127.0.0.1", port: Number(port) };
const results = {
  token: read("token"),
  secret: read("keeper.secret"),
  journal: read("journal.db"),
  seen: seenOf("cmdline").filter((line) => line.includes("keeper/main.js")).length,
  inherited: seenOf("environ").filter((line) => line.includes(token)).length,
  keeper: await talkTo(join(dataDir, "keeper.sock")),
  isFound: ports().includes(Number(port)),
  atPort: await robAt(local),
  withToken: await robAt({ ...local, headers: { authorization: `Bearer ${token}` } }),
  atSocket: await robAt({
    socketPath: process.env["SIGNALBOX_AGENT_SOCKET"] ?? "/run/signalbox-agent/mcp.sock",
  }),
};
process.stdout.write(JSON.stringify(results));
