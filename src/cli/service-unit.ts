/** `signalbox up --install`: the daemon as a service of the person, by systemd or launchd. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { baseFolder, homeFolder } from "../protocol/folder-variables.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { print } from "./print.js";
import { DAEMON_PROGRAM, logPath, NODE_FLAGS } from "./start-daemon.js";
import { stopDaemon } from "./stop-daemon.js";

const UNIT = "signalbox.service";
const LABEL = "dev.signalbox.daemon";

interface Service {
  readonly path: string;
  readonly text: (command: readonly string[], dataDir: string) => string;
  /** Whether somebody is there who would start it. */
  readonly probe: readonly string[];
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

export async function installService(dataDir: string, args: readonly string[]): Promise<ExitCode> {
  const service = serviceHere();
  const command = [process.execPath, ...NODE_FLAGS, DAEMON_PROGRAM, "--data-dir", dataDir, ...args];
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(service.path), { recursive: true });
  writeFileSync(service.path, service.text(command, dataDir));
  await print(`wrote ${service.path}\n`);
  if (!(await succeeds(service.probe))) {
    await print(
      `${service.probe[0] ?? ""} is not available here, so the daemon was not started. It starts when you next log in where it is.\n`,
    );
    return EXIT.ok;
  }
  // One daemon at a time holds the journal.
  if (await stopDaemon(dataDir)) await print("ended the daemon that ran; its agents go on\n");
  for (const line of service.start) await perform(line);
  return EXIT.ok;
}

export async function uninstallService(): Promise<ExitCode> {
  const service = serviceHere();
  if (await succeeds(service.probe)) for (const line of service.stop) await perform(line);
  rmSync(service.path, { force: true });
  await print(`removed ${service.path}; agents go on, and signalbox up starts the daemon as before\n`);
  return EXIT.ok;
}

async function perform(line: readonly string[]): Promise<void> {
  const isDone = await succeeds(line);
  await print(`${line.join(" ")}${isDone ? "" : ": failed"}\n`);
}

async function succeeds([program = "", ...args]: readonly string[]): Promise<boolean> {
  try {
    await promisify(execFile)(program, args, { timeout: 30_000 });
    return true;
  } catch {
    // It is not there, or says no: that is the answer.
    return false;
  }
}

function serviceHere(): Service {
  return process.platform === "darwin" ? launchdService() : systemdService();
}

function systemdService(): Service {
  const config = baseFolder(process.env, "XDG_CONFIG_HOME", () => userInfo().homedir);
  const systemctl = (...args: readonly string[]) => ["systemctl", "--user", ...args];
  return {
    path: join(config, "systemd", "user", UNIT),
    text: systemdUnit,
    probe: systemctl("show-environment"),
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", UNIT)],
    stop: [systemctl("disable", "--now", UNIT)],
  };
}

/** Only the daemon is ended with it: the keeper and its agents go on. Its stdout tells the token, which is for no journal. */
function systemdUnit(command: readonly string[], dataDir: string): string {
  return `[Unit]
Description=Signalbox: runs coding agents, and knows what each one is doing

[Service]
ExecStart=${command.map(quoted).join(" ")}
Environment=${quoted(`PATH=${process.env["PATH"] ?? ""}`)}
StandardOutput=null
StandardError=append:${plainPercent(logPath(dataDir))}
UMask=0022
KillMode=process
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`;
}

/** As systemd reads it: a percent sign and a dollar sign mean something, unless doubled. */
function quoted(word: string): string {
  return `"${plainPercent(word.replace(/["\\]/g, "\\$&")).replace(/\$/g, "$$$$")}"`;
}

/** A path after `append:` is not quoted. */
function plainPercent(text: string): string {
  return text.replace(/%/g, "%%");
}

function launchdService(): Service {
  const home = homeFolder(process.env, () => userInfo().homedir);
  const path = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${userInfo().uid}`;
  return {
    path,
    text: launchdPlist,
    probe: ["launchctl", "print", domain],
    start: [["launchctl", "bootstrap", domain, path]],
    stop: [["launchctl", "bootout", `${domain}/${LABEL}`]],
  };
}

function launchdPlist(command: readonly string[], dataDir: string): string {
  const string = (text: string) =>
    `<string>${text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key>${string(LABEL)}
  <key>ProgramArguments</key><array>${command.map(string).join("")}</array>
  <key>EnvironmentVariables</key><dict><key>PATH</key>${string(process.env["PATH"] ?? "")}</dict>
  <key>StandardOutPath</key>${string("/dev/null")}
  <key>StandardErrorPath</key>${string(logPath(dataDir))}
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>AbandonProcessGroup</key><true/>
</dict></plist>
`;
}
