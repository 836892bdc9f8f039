import { runCommand } from "../tools/run-command.js";
import type { Skill } from "./find-skills.js";

const COMMAND_TIMEOUT_MS = 30_000;
const OUTPUT_LENGTH_MAX = 100_000;

/** A command of the skill's own, whose output stands in its place. */
const COMMAND = /!`([^`\n]+)`/g;

/**
 * The skill's text. Its own commands are run first, where it is trusted to; only then are the arguments put in, so that
 * nothing of them ever reaches a shell.
 */
export async function loadSkill(
  skill: Skill,
  args: string,
  options: { readonly cwd: string; readonly mayRun: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const pieces = await Promise.all(
    skill.body.split(COMMAND).map(async (piece, index) => {
      if (index % 2 === 0) return withArguments(piece, args);
      return options.mayRun
        ? outputOf(piece, options)
        : `[not run, because this folder is not trusted: ${piece}]`;
    }),
  );
  options.signal.throwIfAborted();
  const hasPlace = /\$ARGUMENTS|\$\d/.test(skill.body);
  const text = pieces.join("");
  return hasPlace || args === "" ? text : `${text}\n\nArguments: ${args}`;
}

/** `$ARGUMENTS` is all of them, `$1` the first word. */
function withArguments(text: string, args: string): string {
  const words = args.split(/\s+/).filter((word) => word !== "");
  return text.replace(/\$ARGUMENTS|\$(\d)/g, (_match, place?: string) =>
    place === undefined ? args : (words[Number(place) - 1] ?? ""),
  );
}

async function outputOf(
  command: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<string> {
  const bounds = { timeoutMs: COMMAND_TIMEOUT_MS, outputLengthMax: OUTPUT_LENGTH_MAX };
  const { failure, stdout, output } = await runCommand(command, { cwd, env: process.env, signal, ...bounds });
  return failure === null ? stdout : `[${command} failed: ${output === "" ? failure : output}]`;
}
