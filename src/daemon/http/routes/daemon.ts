/** Calls about the daemon itself. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { JournalError } from "../../../journal/journal-error.js";
import type { Device } from "../../../protocol/device.js";
import type { Identity } from "../auth.js";
import type { SavedDevice } from "../devices.js";
import type { Handler } from "../call-handler.js";
import { failure } from "../problem.js";

export const listHarnesses: Handler<"listHarnesses"> = async (_input, { harnessReports }) => ({
  ok: true,
  value: { items: await harnessReports.read(), cwd: homedir() },
});

export const createLoginLink: Handler<"createLoginLink"> = ({ body, baseUrl }, { auth }) => {
  const code = auth.createLoginCode(body.role ?? "answer");
  if (code === null)
    return failure("rate_limited", "Too many sign-in links were made within a minute. Wait a minute.", {
      headers: { "retry-after": "60" },
    });
  return { ok: true, value: { url: `${baseUrl}/login?code=${code}` } };
};

export const listDevices: Handler<"listDevices"> = ({ caller }, { auth }) => {
  const items = auth.devices.list().map((device) => showDevice(device, caller));
  return { ok: true, value: { items } };
};

function showDevice({ id, name, createdAtMs, lastUsedAtMs, role }: SavedDevice, caller: Identity): Device {
  const current = caller.type === "device" && caller.deviceId === id;
  return { id, name, createdAtMs, lastUsedAtMs, role, current };
}

/** What it holds open was granted before: it asks again. */
export const patchDevice: Handler<"patchDevice"> = async (
  { params, body, caller },
  { auth, connections },
) => {
  const device = await auth.devices.setRole(params.id, body.role);
  if (!device) return failure("not_found", "There is no such device.");
  connections.cutDevice(params.id);
  return { ok: true, value: showDevice(device, caller) };
};

export const deleteDevice: Handler<"deleteDevice"> = async ({ params }, { auth, connections, log }) => {
  const removal = auth.devices.remove(params.id);
  // Whether or not it can be written down.
  connections.cutDevice(params.id);
  try {
    if (!(await removal)) return failure("not_found", "There is no such device.");
  } catch (error) {
    log.error("a device that was signed out is still in the list of devices", { error });
    const message =
      "The device is signed out now, but that was not saved: after a restart it would be let in. Try again.";
    return failure("internal", message, { status: 507 });
  }
  return { ok: true, value: null };
};

export const getHealth: Handler<"getHealth"> = async ({ query }, { care }) =>
  care
    ? { ok: true, value: await care.health(query.examine === "true") }
    : { ok: true, value: { ok: true, readOnly: false, checks: [] } };

const AUDIT_LENGTH = 100;

export const listAudit: Handler<"listAudit"> = async ({ query }, { board }) => {
  const { since = 0, after = 0, limit = AUDIT_LENGTH } = query;
  const entries = await board.journal.readAudit({ sinceMs: since, after, limit: limit + 1 });
  const items = entries.slice(0, limit);
  const last = items.at(-1);
  const isMore = entries.length > limit && last !== undefined;
  return { ok: true, value: { items, ...(isMore ? { nextCursor: String(last.n) } : {}) } };
};

export const backUp: Handler<"backUp"> = async ({ body, caller }, { care }) => {
  if (caller.type !== "token")
    return failure("forbidden", "Only a program with the token may have files written.");
  if (!care) return failure("not_found", "There is no file to copy.");
  if (existsSync(body.file)) return failure("conflict", `${body.file} is there already.`);
  try {
    return { ok: true, value: await care.backup(body.file) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return failure("internal", `The backup was not written: ${error.message}`, { status: 507 });
  }
};

export const shutdown: Handler<"shutdown"> = ({ body }, { shutDown }) => {
  // The answer goes out first.
  setImmediate(() => shutDown(body.agents ?? false));
  return { ok: true, value: null };
};
