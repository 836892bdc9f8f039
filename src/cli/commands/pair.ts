/** `signalbox pair`: signs a phone in. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../client/client.js";
import { roleOf } from "../role-of.js";
import { CLIENT_HELP, CLIENT_OPTIONS, clientOf } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { needDaemon } from "../daemon-process.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

const POLL_DELAY_MS = 1_000;
/** As long as a link works. */
const PAIR_TIMEOUT_MS = 60_000;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const ANYWHERE = ["0.0.0.0", "[::]"];

export const pairCommand: Command = {
  help: `Usage: signalbox pair [options]

Shows a QR code with a link that signs one browser in, once, within an hour. That browser gets a secret of its own,
which signalbox devices lists and revokes. A phone must be able to reach the daemon: give the address at which it does
with --url, or have the daemon listen there (signalbox up --host NAME --tls-cert FILE --tls-key FILE).

Options:
  --url URL        the daemon as the phone reaches it, such as https://devbox.example.org
  --role ROLE      what it may do: watch; answer asks, too (the default); operate agents; own: rules and devices
  --no-wait        do not wait until somebody has signed in
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("pair", args, {
    ...CLIENT_OPTIONS,
    url: { type: "string" },
    role: { type: "string" },
    "no-wait": { type: "boolean" },
  });
  takeWords("pair", positionals, []);
  const role = roleOf(values.role ?? "answer");
  const daemon = await needDaemon(dataFolder(values["data-dir"]));
  const client = clientOf(daemon);
  const base = baseUrl(values.url, daemon.url);
  const known = new Set((await client.listDevices()).items.map(({ id }) => id));
  const { url: here } = await client.createLoginLink({ role });
  const { pathname, search } = new URL(here);
  const link = new URL(`${pathname}${search}`, base).href;
  if (values.json) {
    await printJson({ url: link });
    return EXIT.ok;
  }
  const { qrLines } = await import("../qr-code.js");
  const colours = process.stdout.isTTY === true && !process.env["NO_COLOR"];
  await print(`${qrLines(link, colours).join("\n")}\n\n${link}\n${reachability(base)}`);
  if (!process.stdout.isTTY || values["no-wait"] === true) return EXIT.ok;
  return waitForDevice(client, known);
}

function baseUrl(given: string | undefined, listening: string): URL {
  if (given !== undefined) {
    if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return new URL(given);
    throw new UsageError(`--url ${given}: not an address`, "An example: --url https://devbox.example.org.");
  }
  const base = new URL(listening);
  if (!ANYWHERE.includes(base.hostname)) return base;
  throw new CommandFailure(
    "the daemon listens everywhere, and cannot know by which name a phone reaches it",
    `Say it: signalbox pair --url ${base.protocol}//NAME:${base.port}, with NAME as up's --allowed-host.`,
    EXIT.refused,
  );
}

/** How somebody who is not on this machine gets to it. */
function reachability({ hostname, port }: URL): string {
  if (!LOOPBACK.includes(hostname)) return "";
  return `
The daemon listens on this machine only. A phone reaches it
  through SSH:        ssh -L ${port}:127.0.0.1:${port} YOU@THIS-MACHINE   on the phone, then open the link there
  through a proxy:    one that does TLS, such as tailscale serve or Caddy, in front of
                      signalbox up --behind-proxy --allowed-host NAME; then signalbox pair --url https://NAME
  by itself:          signalbox up --host NAME --tls-cert FILE --tls-key FILE
`;
}

async function waitForDevice(client: Client, known: ReadonlySet<string>): Promise<ExitCode> {
  process.stderr.write("signalbox: waiting for the phone; Ctrl-C leaves\n");
  const untilMs = Date.now() + PAIR_TIMEOUT_MS;
  while (Date.now() < untilMs) {
    await delay(POLL_DELAY_MS);
    const device = (await client.listDevices()).items.find(({ id }) => !known.has(id));
    if (!device) continue;
    await print(
      `paired: ${oneLine(device.name)} (${device.role}); revoke it with signalbox devices revoke ${device.id}\n`,
    );
    return EXIT.ok;
  }
  throw new CommandFailure(
    "nobody has signed in yet",
    "The link still works, within an hour of its making; see signalbox devices.",
    EXIT.refused,
  );
}
