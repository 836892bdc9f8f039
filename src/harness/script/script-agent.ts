/**
 * The scripted agent: a program of its own, with no imports of ours, that behaves as its script says.
 *
 *     node script-agent.js [--script FILE | --inline JSON] [--resume ID] [--report FILE] [--hooks]
 *
 * A script is `{"turns": [[step, …], …]}`: each prompt plays the next turn, and the last one again and again. With no
 * script it repeats what it was told. Every line it writes is numbered, every line it reads must be the next one; what is
 * missing or came twice is said on stdout and appended to the report, as is every line it took.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

type Step =
  | { readonly waitMs: number }
  /** A line as it is, but for its number. `$TEXT` in a text is the prompt, `$I` the number of the repetition. */
  | { readonly emit: Line; readonly repeat?: number; readonly everyMs?: number }
  /** Goes on when the ask is answered; `$TEXT` as above. */
  | {
      readonly answer: string;
      readonly approve?: readonly Step[];
      readonly reject?: readonly Step[];
      readonly reply?: readonly Step[];
    }
  /** Bytes as they are: junk, half a line. */
  | { readonly raw: string; readonly times?: number }
  /** A line of its hooks, with `--hooks`. */
  | { readonly hook: Line }
  | { readonly stderr: string }
  /** A file where it works; `$TEXT` as above. */
  | { readonly write: string; readonly text: string }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals }
  /** From now on it does not heed this signal. */
  | { readonly ignore: NodeJS.Signals }
  | { readonly hang: true };

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Told {
  readonly n: number;
  readonly type: "prompt" | "answer" | "void" | "interrupt" | "continue";
  readonly text?: string | null;
  readonly askId?: string;
  readonly decision?: "approve" | "reject" | "reply";
}

interface Script {
  readonly ready?: readonly Step[];
  readonly turns: readonly (readonly Step[])[];
}

const ECHO: Script = {
  turns: [
    [{ emit: { type: "request" } }, { emit: { type: "text", text: "$TEXT" } }, { emit: { type: "done" } }],
  ],
};

const { values } = parseArgs({
  options: {
    script: { type: "string" },
    inline: { type: "string" },
    resume: { type: "string" },
    report: { type: "string" },
    hooks: { type: "boolean" },
  },
});

class Interrupted extends Error {}

let written = 0;
let read = 0;
let turn = 0;
let interrupted = false;
const prompts: string[] = [];
const answers = new Map<string, Told>();
/** Called whenever something was read. */
let wake = (): void => undefined;

function loadScript(): Script {
  const source = values.inline ?? (values.script === undefined ? null : readFileSync(values.script, "utf8"));
  return source === null ? ECHO : (JSON.parse(source) as Script);
}

function write(line: Line): Promise<void> {
  written += 1;
  return put(`${JSON.stringify({ n: written, ...line })}\n`);
}

/** Waits while the pipe is full, as any program does. */
function put(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });
}

function report(fact: object): void {
  if (values.report !== undefined)
    appendFileSync(values.report, `${JSON.stringify({ pid: process.pid, ...fact })}\n`);
}

function writeHook(line: Line): void {
  const file = process.env["SIGNALBOX_HOOKS_FILE"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ n: 1, ...line })}\n`);
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs);
    wake = () => {
      if (!interrupted) return;
      clearTimeout(timer);
      reject(new Interrupted());
    };
  });
}

/** Until `ready` says so; an interrupt ends the wait. */
function until<T>(ready: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    wake = () => {
      if (interrupted) {
        reject(new Interrupted());
        return;
      }
      const value = ready();
      if (value !== undefined) resolve(value);
    };
    wake();
  });
}

function fill(line: Line, text: string, index: number): Line {
  const filled = JSON.stringify(line, (_key, value: unknown) =>
    typeof value === "string" ? value.replaceAll("$TEXT", text).replaceAll("$I", String(index)) : value,
  );
  return JSON.parse(filled) as Line;
}

async function play(steps: readonly Step[], text: string): Promise<void> {
  for (const step of steps) await playStep(step, text);
}

async function playStep(step: Step, text: string): Promise<void> {
  if (interrupted) throw new Interrupted();
  if ("waitMs" in step) await sleep(step.waitMs);
  else if ("emit" in step) await playEmit(step, text);
  else if ("answer" in step) {
    const askId = step.answer.replaceAll("$TEXT", text);
    const { decision } = await until(() => answers.get(askId));
    if (decision) await play(step[decision] ?? [], text);
  } else if ("raw" in step) {
    for (let time = 0; time < (step.times ?? 1); time += 1) await put(step.raw);
  } else if ("hook" in step) writeHook(step.hook);
  else if ("write" in step) writeFileSync(step.write, step.text.replaceAll("$TEXT", text));
  else if ("stderr" in step) process.stderr.write(step.stderr);
  else if ("exit" in step) process.exit(step.exit);
  else if ("kill" in step) process.kill(process.pid, step.kill);
  else if ("ignore" in step) process.on(step.ignore, () => undefined);
  else await until(() => undefined);
}

async function playEmit(step: Extract<Step, { readonly emit: Line }>, text: string): Promise<void> {
  for (let index = 1; index <= (step.repeat ?? 1); index += 1) {
    if (interrupted) throw new Interrupted();
    await write(fill(step.emit, text, index));
    if (step.everyMs !== undefined) await sleep(step.everyMs);
  }
}

function hear(line: string): void {
  const told = JSON.parse(line) as Told;
  const expected = read + 1;
  read = told.n;
  report({ heard: told });
  if (told.n !== expected) {
    report({ fault: { expected, got: told.n } });
    void write({ type: "stdin_fault", expected, got: told.n });
  }
  if (told.type === "prompt") prompts.push(told.text ?? "");
  else if (told.type === "continue") prompts.push("");
  else if (told.type === "answer" && told.askId !== undefined) answers.set(told.askId, told);
  else if (told.type === "interrupt") interrupted = true;
  wake();
}

async function takeTurn(script: Script): Promise<void> {
  const text = await until(() => prompts.shift());
  const steps = script.turns[Math.min(turn, script.turns.length - 1)] ?? [];
  turn += 1;
  await play(steps, text);
}

async function main(): Promise<void> {
  const script = loadScript();
  createInterface({ input: process.stdin })
    .on("line", hear)
    .on("close", () => process.exit(0));
  report({ started: process.pid });
  if (script.ready) await play(script.ready, "");
  await write({ type: "ready", sessionId: values.resume ?? `script-${process.pid}` });
  for (;;) {
    try {
      await takeTurn(script);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      interrupted = false;
      await write({ type: "interrupted" });
    }
  }
}

await main();
