/** The ways in which a notification reaches a person. */
import { spawn } from "node:child_process";
import { signalGroup } from "../../keeper/process-group.js";
import type { Notification, NotifyConfig } from "../../protocol/notify-config.js";
import type { Channel } from "./notifier.js";

const TIMEOUT_MS = 10_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** What a program needs to find its way and the desktop, and nothing that could be a secret. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_[A-Z_]+)$/;

export function channelsOf(
  config: NotifyConfig,
  variables: Variables,
  timeoutMs = TIMEOUT_MS,
): readonly Channel[] {
  const env = Object.fromEntries(Object.entries(variables).filter(([name]) => PASSED.test(name)));
  const run: Run = (program, args, input) => runProgram(program, args, { env, input, timeoutMs });
  const [program, ...args] = config.command ?? [];
  const { webhook } = config;
  return [
    ...(config.desktop ? [desktopChannel(run)] : []),
    ...(program === undefined
      ? []
      : [(told: Notification) => run(program, args, `${JSON.stringify(told)}\n`)]),
    ...(webhook === undefined ? [] : [(told: Notification) => post(webhook, told)]),
  ];
}

type Run = (program: string, args: readonly string[], input: string) => Promise<void>;

function desktopChannel(run: Run): Channel {
  let isMissing = false;
  return async (notification) => {
    if (isMissing) return;
    const [program, args] = desktopCall(notification);
    try {
      await run(program, args, "");
    } catch (error) {
      // There is no desktop: that is said once.
      isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw error;
    }
  };
}

const HEADLINES: Readonly<Record<Notification["type"], string>> = {
  ask: "waits for you",
  error: "has failed",
  completed: "is done",
};

/** Texts are arguments, never parts of a script. */
export function desktopCall(
  { type, title, text }: Notification,
  platform = process.platform,
): readonly [program: string, args: readonly string[]] {
  const headline = `${title} ${HEADLINES[type]}`;
  if (platform !== "darwin") return ["notify-send", ["--app-name=signalbox", "--", headline, text]];
  const script = [
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
  ];
  return ["osascript", [...script.flatMap((line) => ["-e", line]), headline, text]];
}

interface ProgramWorld {
  readonly env: Variables;
  readonly input: string;
  readonly timeoutMs: number;
}

function runProgram(
  program: string,
  args: readonly string[],
  { env, input, timeoutMs }: ProgramWorld,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const timer = setTimeout(() => {
      // The whole group: what it started must not stay. One that is not ours to end, such as sudo, is not waited for.
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      reject(new Error(`${program} did not end in time`));
    }, timeoutMs);
    // It need not read what it is told.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${signal ?? `status ${code ?? ""}`}`));
    });
  });
}

async function post(url: string, notification: Notification): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(notification),
    // What was told to one host is not told to another.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered with ${response.status}`);
}
