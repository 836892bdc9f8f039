/** `signalbox devices`: the browsers that are signed in. */
import type { Client } from "../../client/client.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { personOnly } from "../person-only.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";
import { timeAgo } from "../time-span.js";

export const devicesCommand: Command = {
  help: `Usage: signalbox devices ls
       signalbox devices revoke DEVICE

ls       the browsers and phones that are signed in, newest first
revoke   signs one out, at once; its id may be abbreviated, and --all is every one

Options:
  --all            revoke every device
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("devices", args, {
    ...CLIENT_OPTIONS,
    all: { type: "boolean" },
  });
  const [what, typed] = takeWords("devices", positionals, ["ls or revoke", "[DEVICE]"]);
  const client = await openClient(values);
  if (what === "ls" && typed === undefined) return list(client, values.json === true);
  if (what !== "revoke" || (typed === undefined) !== (values.all === true)) {
    throw new UsageError("give ls, revoke DEVICE, or revoke --all", "See signalbox devices --help.");
  }
  personOnly("signing devices out");
  const { items } = await client.listDevices();
  const chosen = typed === undefined ? items : [only(items, typed)];
  for (const { id } of chosen) await client.deleteDevice(id);
  if (values.json) await printJson(chosen.map(({ id }) => id));
  else await print(chosen.map(({ id, name }) => `revoked ${id} ${oneLine(name)}\n`).join(""));
  return EXIT.ok;
}

async function list(client: Client, json: boolean): Promise<ExitCode> {
  const { items } = await client.listDevices();
  if (json) await printJson(items);
  else {
    const rows = items.map(({ id, name, createdAtMs, lastUsedAtMs }) => [
      id.slice(0, 8),
      timeAgo(createdAtMs),
      timeAgo(lastUsedAtMs),
      name,
    ]);
    const look = { paint: painter(), ...outputWidth() };
    await print(`${textTable(["DEVICE", "SINCE", "USED", "NAME"], rows, look).join("\n")}\n`);
  }
  return EXIT.ok;
}

function only<T extends { readonly id: string }>(items: readonly T[], typed: string): T {
  const found = items.filter(({ id }) => typed !== "" && id.startsWith(typed));
  const [device] = found;
  if (device && found.length === 1) return device;
  const hint = "See signalbox devices ls.";
  throw new CommandFailure(
    found.length === 0
      ? `no device ${JSON.stringify(typed)}`
      : `${JSON.stringify(typed)} means several devices`,
    hint,
    EXIT.refused,
  );
}
