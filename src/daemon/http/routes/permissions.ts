/** What the rules say, and what a person adds to them. */
import { parseRule, type Rule } from "../../../core/index.js";
import type { FolderTrustItem, RuleItem } from "../../../protocol/api-permissions.js";
import { parseCall } from "../../../permissions/call-text.js";
import type { FolderReport } from "../../../permissions/permissions.js";
import type { Handler } from "../call-handler.js";
import { failure, flawed } from "../problem.js";
import { folderFlaw } from "./folder-flaw.js";

export const getPermissions: Handler<"getPermissions"> = async ({ query }, { permissions }) => {
  const flaw = await folderFlaw("cwd", query.cwd);
  if (flaw) return flaw;
  const { project, rules, untrusted, trust, flaws } = permissions.report(query.cwd);
  const value = {
    cwd: project.cwd,
    project: project.projectDir,
    rules: [...rules.map((rule) => showRule(rule, true)), ...untrusted.map((rule) => showRule(rule, false))],
    trust: trust.map(showTrust),
    flaws: [...flaws],
  };
  return { ok: true, value };
};

export const testPermission: Handler<"testPermission"> = async ({ body }, { permissions }) => {
  const call = parseCall(body.call);
  if (!call.ok) return flawed("call", call.message);
  const flaw = await folderFlaw("cwd", body.cwd);
  if (flaw) return flaw;
  const { grants = [] } = body;
  for (const [index, grant] of grants.entries()) {
    const parsed = parseRule(grant);
    if (!parsed.ok) return flawed(`grants.${index}`, parsed.message);
  }
  const asking = { harness: body.harness ?? "", cwd: body.cwd, grants };
  const { verdict: decision, rule, file, because } = permissions.decideAccess(asking, call.access);
  return { ok: true, value: { decision, rule, file, because } };
};

export const addRule: Handler<"addRule"> = async ({ body }, { permissions }) => {
  const { rule, effect, scope, cwd } = body;
  const parsed = parseRule(rule);
  if (!parsed.ok) return flawed("rule", parsed.message);
  const flaw = await folderFlaw("cwd", cwd);
  if (flaw) return flaw;
  const added = permissions.add(rule, effect, scope, cwd);
  return added.ok
    ? { ok: true, value: { file: added.file, isNew: added.isNew } }
    : failure("conflict", added.message);
};

export const removeRule: Handler<"removeRule"> = async ({ body }, { permissions }) => {
  const { rule, effect = null, scope, cwd } = body;
  const parsed = parseRule(rule);
  if (!parsed.ok) return flawed("rule", parsed.message);
  const flaw = await folderFlaw("cwd", cwd);
  if (flaw) return flaw;
  const removed = permissions.remove(rule, effect, scope, cwd);
  return removed.ok
    ? { ok: true, value: { file: removed.file, effect: removed.effect } }
    : failure("conflict", removed.message);
};

export const initPermissions: Handler<"initPermissions"> = async ({ body }, { permissions }) => {
  const { cwd, kinds = null } = body;
  const flaw = await folderFlaw("cwd", cwd);
  if (flaw) return flaw;
  const written = permissions.init(kinds === null ? null : [...new Set(kinds)], cwd);
  if (!written.ok) return failure("conflict", written.message);
  const { file, ruleCount } = written;
  return { ok: true, value: { file, kinds: [...written.kinds], ruleCount } };
};

export const trustFolder: Handler<"trustFolder"> = async ({ body }, { permissions }) => {
  const { dir, hash = null, revoke = false } = body;
  const flaw = await folderFlaw("dir", dir);
  if (flaw) return flaw;
  const trusted = revoke ? permissions.revoke(dir) : permissions.trustFolder(dir, hash, Date.now());
  if (!trusted.ok)
    return trusted.isConflict ? failure("conflict", trusted.message) : flawed("dir", trusted.message);
  return { ok: true, value: showTrust(trusted.report) };
};

function showRule({ effect, text, origin }: Rule, counts: boolean): RuleItem {
  const { file, line, kind } = origin;
  return { effect, rule: text, file, line, kind, counts };
}

function showTrust({ folder, state, content, problem, allows }: FolderReport): FolderTrustItem {
  const { hash, files } = content.type === "content" ? content : { hash: null, files: [] };
  return { folder, state, hash, files: [...files], allows: [...allows], problem };
}
