/** `signalbox up`: starts the daemon, in the background or in the foreground. */
import { DEFAULT_PORT } from "../../protocol/default-port.js";
import { CLIENT_HELP, CLIENT_OPTIONS, clientOf } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import type { RunningDaemon } from "../daemon-process.js";
import { EXIT } from "../exit-codes.js";
import { findDaemonToKeep } from "../daemon-upgrade.js";
import { becomeDaemon } from "../foreground-daemon.js";
import { showLoginLink } from "../login-link.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { programName } from "../program-name.js";
import { daemonArguments, logPath, startDaemon } from "../start-daemon.js";
import { installService, uninstallService } from "../service-unit.js";
import { takeWords } from "../take-words.js";

export const upCommand: Command = {
  help: `Usage: signalbox up [options]

Starts the daemon and waits until it is ready. Agents that it left running when it ended are taken up again. A daemon of
an older version is ended and replaced; its agents go on.

Options:
  --port N         listen there; ${DEFAULT_PORT} when absent, 0 picks a free port
  --open           open the page in a browser
  --demo           where there are no sessions yet, start some that need no model
  --foreground     be the daemon, in this very process, until it ends; log to stderr
  --keys           with --foreground: log to the file, print a link to the page, and take keys to open it and to quit
  --host HOST      listen elsewhere than on 127.0.0.1; needs TLS or --behind-proxy
  --allowed-host H a further name by which clients reach it; may be repeated
  --tls-cert FILE  certificate, and
  --tls-key FILE   key, as PEM
  --behind-proxy   a proxy in front of it does TLS
  --install        have systemd or launchd start it whenever you log in, with these options
  --uninstall      undo that
  --retention-days N delete what stopped sessions wrote so many days ago; never when absent
  --log-level L    debug, info, warn or error
  --log-payloads   log what agents and people say, too
${CLIENT_HELP}
With --json it prints {"url","token","pid","dataDir"} on one line.
`,
  run,
};

const UP_OPTIONS = {
  ...CLIENT_OPTIONS,
  port: { type: "string" },
  open: { type: "boolean" },
  foreground: { type: "boolean" },
  demo: { type: "boolean" },
  keys: { type: "boolean" },
  install: { type: "boolean" },
  uninstall: { type: "boolean" },
  host: { type: "string" },
  "allowed-host": { type: "string", multiple: true },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "behind-proxy": { type: "boolean" },
  "retention-days": { type: "string" },
  "log-level": { type: "string" },
  "log-payloads": { type: "boolean" },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("up", args, UP_OPTIONS);
  takeWords("up", positionals, []);
  const dataDir = dataFolder(values["data-dir"]);
  if (values.keys && !values.foreground)
    throw new UsageError("--keys needs --foreground", "See signalbox up --help.");
  if (values.uninstall) return uninstallService();
  if (values.install) return installService(dataDir, daemonArguments(values));
  const running = await findDaemonToKeep(dataDir, values);
  // A daemon that was replaced is found where it was.
  const daemonArgs = daemonArguments({ ...values, ...(running.port === null ? {} : { port: running.port }) });
  if (values.foreground) {
    if (running.daemon) throw alreadyRunning(running.daemon);
    if (values.keys) return becomeDaemon(dataDir, [...daemonArgs, "--log-to-file"], showConsole);
    return becomeDaemon(dataDir, daemonArgs, (daemon) => showReady(daemon, values));
  }
  await showReady(running.daemon ?? (await startDaemon(dataDir, daemonArgs)), values);
  if (running.daemon && values.port !== undefined && !values.json) {
    process.stderr.write("signalbox: it ran already; its port stays until signalbox down\n");
  }
  return EXIT.ok;
}

function alreadyRunning({ url, pid }: RunningDaemon): CommandFailure {
  return new CommandFailure(
    `the daemon runs already at ${url} (process ${pid})`,
    `Open its page with ${programName()} open, or end it with ${programName()} down.`,
    EXIT.refused,
  );
}

/** For a person who has just typed `npm start`. */
async function showConsole(daemon: RunningDaemon): Promise<void> {
  const { url, dataDir } = daemon;
  const client = clientOf(daemon);
  const { demoFolder, startDemos } = await import("../demo-sessions.js");
  const count = await startDemos(client, dataDir);
  await print(`Signalbox runs at ${url}. Its log is ${logPath(dataDir)}.\n`);
  if (count > 0)
    await print(
      `${count} demo sessions run in ${demoFolder(dataDir)}; ${programName()} top shows them here.\n`,
    );
  const { runConsole } = await import("../console-keys.js");
  await runConsole(client, process.stdin.isTTY && process.stdout.isTTY ? process.stdin : null);
}

async function showReady(
  { url, token, pid, dataDir }: RunningDaemon,
  values: {
    readonly json?: boolean | undefined;
    readonly open?: boolean | undefined;
    readonly demo?: boolean | undefined;
  },
): Promise<void> {
  if (values.json) await printJson({ url, token, pid, dataDir });
  else await print(`up at ${url}, process ${pid}, data in ${dataDir}\n`);
  const client = clientOf({ url, token, pid, dataDir });
  if (values.demo) {
    const { startDemos } = await import("../demo-sessions.js");
    const count = await startDemos(client, dataDir);
    if (count > 0 && !values.json) await print(`started ${count} demo sessions; see signalbox top\n`);
  }
  if (values.open) await showLoginLink(client, { browse: true, aside: values.json === true });
}
