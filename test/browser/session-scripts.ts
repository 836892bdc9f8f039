/** Sessions of the scripted agent, for pages to look at. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";

export type Step = Readonly<Record<string, unknown>>;

export const request: Step = { emit: { type: "request" } };
export const done: Step = { emit: { type: "done" } };
export const say = (text: string, messageId?: string): Step => ({
  emit: { type: "text", text, ...(messageId === undefined ? {} : { messageId }) },
});
export const hang: Step = { hang: true };

export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-page-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

interface ScriptOptions {
  readonly title?: string;
  readonly prompt?: string;
}

/** Each turn is what it does with one prompt; the last one again and again. */
export async function startScript(
  daemon: TestDaemon,
  turns: readonly (readonly Step[])[],
  { title = "Scripted", prompt = "Begin" }: ScriptOptions = {},
): Promise<string> {
  const cwd = await emptyFolder();
  const script = join(cwd, "script.json");
  // It may be longer than a request.
  await writeFile(script, JSON.stringify({ turns }));
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd,
    prompt,
    title,
    args: ["--script", script],
  });
  return id;
}

/** Asks for a command, and says what was answered. */
export function asking(askId: string, command: string): readonly Step[] {
  const title = `Run ${command}`;
  return [
    request,
    {
      emit: {
        ...{ type: "ask", ask: "command", askId, title, detail: command },
        tool: { name: "Bash", input: { command } },
      },
    },
    { answer: askId, approve: [say(`It ran ${command}.`)], reject: [say("Then not.")] },
    done,
  ];
}
