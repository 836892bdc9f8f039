/** `signalbox controls`: what an agent offers to choose, and choosing it. */
import type { Controls } from "../../protocol/controls.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";

export const controlsCommand: Command = {
  help: `Usage: signalbox controls ID [options]

Lists what the session's agent offers: models, modes, efforts, slash commands and
skills, from the agent's own lists. --model, --mode and --effort choose another one;
the agent's answer is noted in the session's thread.

Options:
  --model M        use this model
  --mode M         work in this mode
  --effort E       think this much
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("controls", args, {
    ...CLIENT_OPTIONS,
    model: { type: "string" },
    mode: { type: "string" },
    effort: { type: "string" },
  });
  const [id] = takeWords("controls", positionals, ["ID"]);
  const { model, mode, effort } = values;
  const wish = {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(effort === undefined ? {} : { effort }),
  };
  const isWish = Object.keys(wish).length > 0;
  if (isWish) personOnly("choosing for an agent");
  const client = await openClient(values);
  const { id: sessionId } = await resolveSession(client, id);
  const controls = isWish ? await client.setControls(sessionId, wish) : await client.getControls(sessionId);
  if (values.json === true) await printJson(controls);
  else await print(isWish ? `${sessionId} was told: ${toldWords(wish)}\n` : listed(controls));
  return EXIT.ok;
}

function toldWords(wish: Readonly<Record<string, string>>): string {
  return Object.entries(wish)
    .map(([kind, name]) => `${kind} ${name}`)
    .join(", ");
}

const HEADER = ["WHAT", "NAME", "", "ABOUT"];

function listed({ models, modes, efforts, commands, skills }: Controls): string {
  const chosen = (what: string, choices: Controls["models"]) =>
    choices.map(({ id, name, current }) => [what, id, current ? "current" : "", name === id ? "" : name]);
  const rows = [
    ...chosen("model", models),
    ...chosen("mode", modes),
    ...chosen("effort", efforts),
    ...commands.map(({ name, hint, description }) => ["command", `/${name}`, hint ?? "", description]),
    ...skills.map(({ name, description }) => ["skill", name, "", description]),
  ];
  if (rows.length === 0) return "This agent offers nothing to choose, or has not said so yet.\n";
  return `${textTable(HEADER, rows, { paint: painter(), ...outputWidth() }).join("\n")}\n`;
}
