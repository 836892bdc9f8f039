/**
 * A small agent that speaks ACP, and does in a turn what its prompt says: a list of steps as JSON. Every answer that it
 * gets is a line of the file `ACP_AGENT_REPORT`.
 *
 * `send` asks something and waits for the answer, `begin` does not wait; `as` keeps the id of a terminal, which stands as
 * `$NAME` in what comes after. `update` tells something, and `hang` waits until the turn is cancelled. With `--login` it
 * opens no session before somebody has logged in.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

interface Step {
  readonly send?: string;
  readonly begin?: string;
  readonly params?: object;
  readonly as?: string;
  readonly update?: object;
  readonly hang?: true;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text: string }[] };
  readonly result?: { readonly terminalId?: string };
  readonly error?: object;
}

const LOGINS = [
  { id: "browser", name: "In a browser", description: "Opens a page" },
  { id: "terminal", name: "In a terminal", type: "terminal", args: ["login"] },
];
let needsLogin = process.argv.includes("--login");

const waiting = new Map<number, (answer: Message) => void>();
const names = new Map<string, string>();
let lastId = 0;
const cancelling = { isAsked: false, tell: (): void => undefined };

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function report(line: object): void {
  appendFileSync(process.env["ACP_AGENT_REPORT"] ?? "/dev/null", `${JSON.stringify(line)}\n`);
}

function named<T extends object>(value: T): T {
  return JSON.parse(
    JSON.stringify(value).replace(/"\$(\w+)"/g, (word, name: string) => {
      const id = names.get(name);
      return id === undefined ? word : JSON.stringify(id);
    }),
  ) as T;
}

async function ask(method: string, { params = {}, as }: Step): Promise<void> {
  lastId += 1;
  const id = lastId;
  const answered = new Promise<Message>((resolve) => {
    waiting.set(id, resolve);
  });
  say({ id, method, params: { sessionId: "s1", ...named(params) } });
  const { result, error } = await answered;
  if (as !== undefined && result?.terminalId !== undefined) names.set(as, result.terminalId);
  report({ method, ...(error === undefined ? { result } : { error }) });
}

async function perform(step: Step): Promise<void> {
  if (step.send !== undefined) await ask(step.send, step);
  if (step.begin !== undefined) void ask(step.begin, step);
  if (step.update !== undefined)
    say({ method: "session/update", params: { sessionId: "s1", update: named(step.update) } });
  if (step.hang === true && !cancelling.isAsked)
    await new Promise<void>((resolve) => {
      cancelling.tell = resolve;
    });
}

/** A file `run-this` in the folder has a program run beside the turn, as an agent's own tools would; `escape`: far from here. */
function runWhenTold(): void {
  if (!existsSync("run-this")) return;
  const { program, escape = false } = JSON.parse(readFileSync("run-this", "utf8")) as {
    readonly program: readonly string[];
    readonly escape?: boolean;
  };
  rmSync("run-this");
  if (escape) {
    // The shell between is gone before the program calls: it is nobody's child then.
    const script = 'setsid env -i sh -c \'sleep 1; "$@" > out.part; mv out.part out\' sh "$@" & exit 0';
    spawn("/bin/sh", ["-c", script, "sh", process.execPath, ...program], { stdio: "ignore" });
    const waiting = setInterval(() => {
      if (!existsSync("out")) return;
      clearInterval(waiting);
      report({ method: "program", result: JSON.parse(readFileSync("out", "utf8")) as unknown });
    }, 50);
    return;
  }
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.on("close", () => report({ method: "program", result: JSON.parse(said) as unknown }));
}

setInterval(runWhenTold, 50).unref();

function stopReason(): string {
  return cancelling.isAsked ? "cancelled" : "end_turn";
}

async function turn(id: number | undefined, text: string): Promise<void> {
  cancelling.isAsked = false;
  for (const step of JSON.parse(text) as readonly Step[]) await perform(step);
  say({ id, result: { stopReason: stopReason() } });
}

function take({ id, method, params, result, error }: Message): void {
  switch (method) {
    case undefined:
      if (id !== undefined) waiting.get(id)?.({ ...(result ? { result } : {}), ...(error ? { error } : {}) });
      return;
    case "initialize":
      report({ method, params });
      say({
        id,
        result: { protocolVersion: 1, agentCapabilities: {}, authMethods: needsLogin ? LOGINS : [] },
      });
      return;
    case "authenticate":
      report({ method, params });
      needsLogin = false;
      say({ id, result: {} });
      return;
    case "session/new":
      if (needsLogin) say({ id, error: { code: -32_000, message: "Authentication required" } });
      else say({ id, result: { sessionId: "s1" } });
      return;
    case "session/prompt":
      void turn(id, params?.prompt?.[0]?.text ?? "[]");
      return;
    case "session/cancel":
      cancelling.isAsked = true;
      cancelling.tell();
      return;
    default:
      if (id !== undefined) say({ id, error: { code: -32_601, message: "Method not found" } });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => take(JSON.parse(line) as Message));
