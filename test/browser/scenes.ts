/** Sessions of the scripted agent, for the page to show. */
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDaemon } from "../e2e/test-daemon.js";

export interface Scene {
  readonly title: string;
  readonly turns: readonly (readonly object[])[];
  readonly prompt?: string;
  readonly cwd?: string;
  readonly autoApprove?: boolean;
}

/** Its id. */
export async function play(daemon: TestDaemon, scene: Scene): Promise<string> {
  const { title, turns, cwd, prompt, autoApprove } = scene;
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: cwd ?? tmpdir(),
    title,
    prompt: prompt ?? "go",
    args: ["--inline", JSON.stringify({ turns })],
    ...(autoApprove === undefined ? {} : { autoApprove }),
  });
  return id;
}

const REQUEST = { emit: { type: "request" } };
const DONE = { emit: { type: "done" } };

export function text(words: string): object {
  return { emit: { type: "text", text: words } };
}

/** Writes one piece after the other, for long. */
export function writing(
  pieces: number,
  everyMs: number,
  words = "Piece $I of the answer. ",
): readonly object[] {
  return [REQUEST, { emit: { type: "text", text: words }, repeat: pieces, everyMs }, DONE];
}

export function finished(words: string, costUsd?: number): readonly object[] {
  const usage = { type: "usage", inputTokens: 48_200, outputTokens: 3_150 };
  return [REQUEST, text(words), { emit: costUsd === undefined ? usage : { ...usage, costUsd } }, DONE];
}

/** Asks, and goes on when it is answered. */
export function asking(title: string, detail: string): readonly object[] {
  return [
    REQUEST,
    { emit: { type: "ask", askId: "a1", ask: "command", title, detail } },
    { answer: "a1", approve: [text("It is done.")], reject: [text("It was left alone.")] },
    DONE,
  ];
}

export function toolRun(name: string, runMs: number): readonly object[] {
  const call = { callId: "c1" };
  return [
    REQUEST,
    { emit: { type: "tool", ...call, name, input: { command: name } } },
    { waitMs: runMs },
    { emit: { type: "tool_done", ...call, ok: true, output: "ok" } },
    DONE,
  ];
}

export function failing(message: string): readonly object[] {
  return [REQUEST, { emit: { type: "fail", code: "api_req_failed", message } }];
}

/** One of every kind, as a person might have them on a busy day. */
export async function playBusyDay(daemon: TestDaemon): Promise<void> {
  const folder = (name: string) => {
    const path = join(daemon.dataDir, "day", name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const scenes: readonly Scene[] = [
    {
      title: "Write the release notes for 0.9",
      cwd: folder("docs"),
      turns: [finished("The notes are in CHANGELOG.md.", 0.42)],
    },
    {
      title: "Rename the session columns",
      cwd: folder("api"),
      turns: [finished("Renamed, with a migration and its test.", 1.18)],
    },
    {
      title: "Upgrade the linter",
      cwd: folder("web-shop"),
      turns: [failing("The model's server refused: too many requests (429)")],
    },
    {
      title: "Find the slow query",
      cwd: folder("api"),
      turns: [toolRun("psql -c 'explain analyze select * from orders'", 600_000)],
    },
    {
      title: "Add retry to the importer",
      cwd: folder("importer"),
      turns: [writing(100_000, 250, "I look at importer.ts, and at the $I callers it has. ")],
      autoApprove: true,
    },
    {
      title: "Fix the flaky login test",
      cwd: folder("web-shop"),
      turns: [asking("npm test -- --grep login", "npm test -- --grep login")],
    },
    {
      title: "Translate the error messages",
      cwd: folder("web-shop"),
      turns: [writing(100_000, 400, "Message $I of 240 is translated. ")],
    },
  ];
  for (const scene of scenes) await play(daemon, scene);
}
