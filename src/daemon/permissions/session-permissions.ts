import type { Asking, Permissions } from "../../permissions/permissions.js";
import type { AskDetail, SessionRecord } from "../../runtime/session-record.js";
import { askedTool, type PermissionPort } from "../runs/permission-port.js";

/** The rules, as the driver asks for them. */
export function sessionPermissions(permissions: Permissions): PermissionPort {
  return {
    decide: (record, tool) => Promise.resolve(permissions.decide(askingOf(record), tool)),
    decideAccess: (record, access) => Promise.resolve(permissions.decideAccess(askingOf(record), access)),
    accesses: (record, tool) => permissions.accesses(askingOf(record), tool),
    isTrusted: ({ settings }) => permissions.isTrusted(settings.cwd),
    grant: (record, scope, tool, source) =>
      Promise.resolve({ scope, ...permissions.grant(askingOf(record, source), scope, tool) }),
  };
}

/** The rules that an answer to an open ask would grant. */
export type Suggest = (record: SessionRecord, ask: AskDetail) => readonly string[];

/** Worked out once for each ask: lists of sessions are asked for again and again. */
export function suggestOnce(permissions: Permissions): Suggest {
  const known = new WeakMap<AskDetail, readonly string[]>();
  return (record, ask) => {
    const suggested =
      known.get(ask) ?? permissions.suggest(askingOf(record, ask.source), askedTool(ask.tool));
    known.set(ask, suggested);
    return suggested;
  };
}

/** What the wall asks is read from no screen, whatever the harness. */
function askingOf({ settings, grants }: SessionRecord, source?: AskDetail["source"]): Asking {
  return { harness: source ?? settings.harness, cwd: settings.cwd, grants };
}
