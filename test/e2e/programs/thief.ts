/**
 * What an agent did to version 0.1: it read the token in the data folder and acted as the person, and it talked to the
 * keeper. Arguments: the data folder, the session, and the ask that is open. Prints what came of it, as JSON.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

const [dataDir = "", sessionId = "", askId = ""] = process.argv.slice(2);
const token = readFileSync(join(dataDir, "token"), "utf8").trim();
const { url } = JSON.parse(readFileSync(join(dataDir, "daemon.json"), "utf8")) as { readonly url: string };

async function call(method: string, path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  const { code = "done" } = JSON.parse((await answer.text()) || "{}") as { readonly code?: string };
  return `${answer.status} ${code}`;
}

/** Writes an answer straight into the agent's own run. */
function talkToKeeper(): Promise<string> {
  const socket = connect(join(dataDir, "keeper.sock"));
  const input = {
    type: "input",
    id: 1,
    runId: `${sessionId}.1`,
    effectId: null,
    data: "approve\n",
    encoding: "utf8",
  };
  socket.write(`${JSON.stringify(input)}\n`);
  return new Promise((resolve) => {
    socket.once("data", (chunk) => {
      const { type, code } = JSON.parse(chunk.toString().split("\n")[0] ?? "{}") as {
        readonly type: string;
        readonly code?: string;
      };
      resolve(`${type} ${code ?? ""}`);
      // It stays connected until it is cut: who it is can be seen.
      socket.resume();
    });
    socket.once("error", (error) => resolve(error.message));
  });
}

const session = `/v1/sessions/${sessionId}`;
const results = {
  approve: await call("POST", `${session}/asks/${encodeURIComponent(askId)}`, { decision: "approve" }),
  rule: await call("POST", "/v1/permissions/rules", {
    rule: "Shell(*)",
    effect: "allow",
    scope: "always",
    cwd: dataDir,
  }),
  auto: await call("PATCH", session, { autoApprove: true }),
  link: await call("POST", "/v1/login-links", { role: "own" }),
  keeper: await talkToKeeper(),
  // What an agent may do, it does in its own name.
  rename: await call("PATCH", session, { title: "renamed" }),
};
process.stdout.write(JSON.stringify(results));
