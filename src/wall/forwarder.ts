/** What runs inside a wall so that the network can be reached: from ports on loopback to the run's sockets. */
import type { WallPlan } from "../protocol/wall.js";
import { forwardsOf, type Forward } from "./compile-network.js";

/** What of this machine it is made of. */
export interface ForwarderTools {
  /** Null: a program of Node does it, which takes more memory. */
  readonly socat: string | null;
  /** Null: its signals are the agent's. */
  readonly setsid: string | null;
  readonly node: string;
}

/** More than the proxy takes, so that it is the one that says so. */
const CONNECTIONS_MAX = 600;
const TRIES_MAX = 6_000;
/** Who has said all still waits for the answer: otherwise socat ends half a second later. */
const HALF_IDLE_S = "600";

/** Pairs of `host port path`. It is not the agent's: signals for that one are nothing to it. */
const NODE_FORWARDER = `
const net = require("node:net");
const fs = require("node:fs");
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"]) process.on(signal, () => undefined);
const words = process.argv.slice(1);
for (let at = 0; at + 2 < words.length; at += 3) {
  const path = words[at + 2];
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const proxy = net.connect({ path, allowHalfOpen: true });
    const end = () => { client.destroy(); proxy.destroy(); };
    for (const [one, other] of [[client, proxy], [proxy, client]]) {
      one.on("error", end);
      one.on("close", () => { if (!one.readableEnded || other.readableEnded) other.destroy(); });
      one.pipe(other);
    }
  });
  server.maxConnections = ${CONNECTIONS_MAX};
  server.listen(Number(words[at + 1]), words[at]);
}
const back = process.env.BACK;
const bring = (name, port, family) => {
  const out = net.connect({ path: back, allowHalfOpen: true });
  out.on("error", () => out.destroy());
  out.write(name + "\\n");
  if (port === "0") {
    const text = ["tcp", "tcp6"].map((file) => { try { return fs.readFileSync("/proc/net/" + file); } catch { return ""; } });
    out.end(text.join(""));
    return;
  }
  const host = family === "6" ? "::1" : "127.0.0.1";
  const own = net.connect({ host, port: Number(port), allowHalfOpen: true });
  const end = () => { own.destroy(); out.destroy(); };
  own.on("error", end);
  out.on("close", () => own.destroy());
  own.on("close", () => { if (!own.readableEnded) out.destroy(); });
  own.pipe(out);
  out.pipe(own);
};
const relay = () => {
  let text = "";
  const orders = net.connect(back, () => orders.write("relay\\n"));
  orders.on("data", (data) => {
    const lines = (text + data).split("\\n");
    text = lines.pop();
    for (const line of lines) bring(...line.split(" "));
  });
  orders.on("error", () => orders.destroy());
  orders.on("close", () => setTimeout(relay, 2000));
};
if (back) relay();
`;

/**
 * What leads back: it tells the proxy that it is there, and is told which port somebody outside wants (`NAME PORT FAMILY`; port
 * 0: which there are). With what it finds it connects once more, under that name. A proxy that has died is followed by another.
 */
const SOCAT_RELAY = 'while :; do "$SOCAT" "UNIX-CONNECT:$BACK" "SYSTEM:eval \\$ORDERS"; sleep 2; done';
/** `eval` takes it apart and puts it together again with single spaces. Whoever is left behind is nobody's child. */
const SOCAT_ORDERS = [
  "echo relay; while read -r name port family; do export name port family;",
  'if test $port = 0; then (echo $name; cat /proc/net/tcp /proc/net/tcp6) | "$SOCAT" -u - UNIX-CONNECT:$BACK;',
  `else ("$SOCAT" -t ${HALF_IDLE_S} UNIX-CONNECT:$BACK "SYSTEM:eval \\$BRING" &); fi; done`,
].join(" ");
const SOCAT_BRING = [
  "echo $name; if test $family = 6;",
  `then exec "$SOCAT" -t ${HALF_IDLE_S} - TCP6:[::1]:$port; else exec "$SOCAT" -t ${HALF_IDLE_S} - TCP4:127.0.0.1:$port; fi`,
].join(" ");

/**
 * A script of the shell that starts it, waits until it listens, and becomes what its arguments say. Null: the plan needs
 * none. It lives in a session of its own, has no terminal, and is nobody's child but that of the first process inside: so no
 * shell waits for it, no signal for the agent reaches it, and it ends with the run.
 */
export function forwarderScript(
  { network }: Pick<WallPlan, "network">,
  tools: ForwarderTools,
): string | null {
  const forwards = forwardsOf(network);
  if (forwards.length === 0) return null;
  const { socat, setsid, node } = tools;
  const commands =
    socat === null
      ? [
          [
            node,
            "-e",
            NODE_FORWARDER,
            ...forwards.flatMap((each) => [each.listen, String(each.port), each.socket]),
          ],
        ]
      : forwards.map((each) => [socat, "-t", HALF_IDLE_S, listenWord(each), `UNIX-CONNECT:${each.socket}`]);
  const back = network.publish && network.proxy ? `${network.proxy.path}/publish` : null;
  const isBySocat = back !== null && socat !== null;
  const started = [
    ...commands.map((command) => ({ command, variables: isBySocat ? "" : relayVariables(back, socat) })),
    ...(isBySocat
      ? [{ command: ["/bin/sh", "-c", SOCAT_RELAY], variables: relayVariables(back, socat) }]
      : []),
  ].map(
    ({ command, variables }) =>
      `(${variables}${[...(setsid === null ? [] : [setsid]), ...command].map(quoted).join(" ")} </dev/null >/dev/null 2>&1 &)`,
  );
  const waits = forwards.map(({ port }) => {
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    return `until grep -q ":${hex} [0:]* 0A " /proc/net/tcp /proc/net/tcp6 2>/dev/null; do n=$((n+1)); [ $n -gt ${TRIES_MAX} ] && { echo "signalbox: nothing listens on port ${port} inside the wall" >&2; exit 72; }; sleep 0.005; done`;
  });
  return [...started, "n=0", ...waits, 'exec "$@"'].join("\n");
}

/** Only for what is started here; the agent has none of them. */
function relayVariables(back: string | null, socat: string | null): string {
  if (back === null) return "";
  const all = {
    BACK: back,
    ...(socat === null ? {} : { SOCAT: socat, ORDERS: SOCAT_ORDERS, BRING: SOCAT_BRING }),
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${quoted(value)} `)
    .join("");
}

function listenWord({ listen, port, isIpv6 }: Forward): string {
  const where = isIpv6 ? `TCP6-LISTEN:${port},bind=[${listen}]` : `TCP4-LISTEN:${port},bind=${listen}`;
  return `${where},fork,reuseaddr,backlog=256,max-children=${CONNECTIONS_MAX}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
