/** `signalbox devices`: the browsers that are signed in. */
import type { Role } from "../../protocol/access.js";
import type { Client } from "../../client/client.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { personOnly } from "../person-only.js";
import { print, printJson } from "../print.js";
import { roleOf } from "../role-of.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";
import { timeAgo } from "../time-span.js";

export const devicesCommand: Command = {
  help: `Usage: signalbox devices ls
       signalbox devices role DEVICE ROLE
       signalbox devices revoke DEVICE

ls       the browsers and phones that are signed in, newest first, and what each may do
role     changes that: watch; answer asks, too; operate agents, too; own: rules, devices and links, too
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
  const [what, typed, wanted] = takeWords("devices", positionals, [
    "ls, role or revoke",
    "[DEVICE]",
    "[ROLE]",
  ]);
  const client = await openClient(values);
  if (what === "ls" && typed === undefined) return list(client, values.json === true);
  if (what === "role" && typed !== undefined && wanted !== undefined)
    return changeRole(client, typed, roleOf(wanted), values.json === true);
  if (what !== "revoke" || wanted !== undefined || (typed === undefined) !== (values.all === true)) {
    throw new UsageError(
      "give ls, role DEVICE ROLE, revoke DEVICE, or revoke --all",
      "See signalbox devices --help.",
    );
  }
  personOnly("signing devices out");
  const { items } = await client.listDevices();
  const chosen = typed === undefined ? items : [only(items, typed)];
  for (const { id } of chosen) await client.deleteDevice(id);
  if (values.json) await printJson(chosen.map(({ id }) => id));
  else await print(chosen.map(({ id, name }) => `revoked ${id} ${oneLine(name)}\n`).join(""));
  return EXIT.ok;
}

async function changeRole(client: Client, typed: string, role: Role, json: boolean): Promise<ExitCode> {
  personOnly("what a device may do");
  const { id, name, role: before } = only((await client.listDevices()).items, typed);
  const changed = await client.patchDevice(id, { role });
  if (json) await printJson(changed);
  else
    await print(
      `${id} ${oneLine(name)}: ${changed.role}; undo it with signalbox devices role ${id.slice(0, 8)} ${before}\n`,
    );
  return EXIT.ok;
}

async function list(client: Client, json: boolean): Promise<ExitCode> {
  const { items } = await client.listDevices();
  if (json) await printJson(items);
  else {
    const rows = items.map(({ id, name, role, createdAtMs, lastUsedAtMs }) => [
      id.slice(0, 8),
      timeAgo(createdAtMs),
      timeAgo(lastUsedAtMs),
      role,
      name,
    ]);
    const look = { paint: painter(), ...outputWidth() };
    await print(`${textTable(["DEVICE", "SINCE", "USED", "ROLE", "NAME"], rows, look).join("\n")}\n`);
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
