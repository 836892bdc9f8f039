/** Calls about the daemon itself. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { JournalError } from "../../../journal/journal-error.js";
import type { Handler } from "../call-handler.js";
import { failure } from "../problem.js";

export const listHarnesses: Handler<"listHarnesses"> = async (_input, { harnessReports }) => ({
  ok: true,
  value: { items: await harnessReports.read(), cwd: homedir() },
});

export const createLoginLink: Handler<"createLoginLink"> = ({ baseUrl }, { auth }) => {
  const code = auth.createLoginCode();
  if (code === null)
    return failure("rate_limited", "Too many sign-in links were made within a minute. Wait a minute.", {
      headers: { "retry-after": "60" },
    });
  return { ok: true, value: { url: `${baseUrl}/login?code=${code}` } };
};

export const listDevices: Handler<"listDevices"> = ({ caller }, { auth }) => {
  const items = auth.devices.list().map(({ id, name, createdAtMs, lastUsedAtMs }) => ({
    id,
    name,
    createdAtMs,
    lastUsedAtMs,
    current: caller.type === "device" && caller.deviceId === id,
  }));
  return { ok: true, value: { items } };
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
