/** `session/request_permission`: the agent waits for a yes or a no. */
import type { PermissionOptionKind } from "@agentclientprotocol/sdk";
import type { AskedTool, Json } from "../../core/index.js";
import type { QueryAnswer } from "../../runtime/query.js";
import type { RpcId } from "../kit/json-rpc.js";
import { fieldAt, fieldsAt, fieldsOf, type JsonObject, listAt, stringAt, textAt } from "../kit/json.js";
import type { ApprovedCommand, ApprovedWrite, Asked, HeldAsk, OpenCall, QuestionField } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { addAsked, askIdOf, openAsk, outcomeOf } from "./asks.js";
import { CHOICES_MAX, described, FIELDS_MAX } from "./questions.js";
import { commandLine } from "./terminal-requests.js";
import {
  closeRejected,
  type DescribedCall,
  digest,
  inputOf,
  readCall,
  seeCall,
  shownDiffs,
  withTold,
} from "./tool-calls.js";

type AskedPermission = Extract<Asked, { readonly type: "permission" }>;

export function takePermissionRequest(step: AcpStep, id: RpcId, params: JsonObject): void {
  step.set({ unheard: null });
  const toolCall = fieldsAt(params, "toolCall");
  const asking = readCall(toolCall);
  closeRejected(step, asking?.callId ?? null);
  const open = asking && seeCall(step, asking);
  const call = asking && open && withTold(asking, open);
  const options = listAt(params, "options").map(fieldsOf);
  const choice = {
    allow: optionOf(options, ["allow_once", "allow_always"]),
    reject: optionOf(options, ["reject_once", "reject_always"]),
  };
  if (call && askedByPermission(step, { askId: askIdOf(id), id, submit: choice }, call)) return;
  const held = heldAsk(step, call, open, stringAt(toolCall, "title") ?? "tool");
  const command = commandOf(step, held);
  const quiet = isQuiet(step, call, open);
  const awaits = quiet && call !== null && isUnknown(call);
  const asked: Asked = {
    askId: askIdOf(id),
    id,
    type: "permission",
    callId: call?.callId ?? null,
    ...choice,
    writes: asking ? writesOf(asking) : [],
    ...(command ? { command } : {}),
    held: quiet ? held : null,
    ...(awaits ? ({ awaits, shown: true } as const) : {}),
  };
  if (!addAsked(step, asked)) return;
  if (quiet && !awaits) askRules(step, asked.askId, held);
  else openAsk(step, asked.askId, held);
}

function askRules(step: AcpStep, askId: string, { tool }: HeldAsk): void {
  step.query(`${askId}:rules`, { type: "permission", tool: tool as unknown as AskedTool });
}

/**
 * Kilo Code asks before it says what about: a person is asked then, because no rule can say anything. Should it say so
 * before the person has answered, the rules decide after all.
 */
export function releaseHeld(step: AcpStep): void {
  for (const asked of step.state.asked) {
    if (asked.type !== "permission" || asked.awaits !== true || !asked.held) continue;
    const open = step.state.calls.find(({ callId }) => callId === asked.callId);
    if (!open?.told) continue;
    const { title } = asked.held;
    const call = withTold(
      { ...NOTHING_TOLD, callId: open.callId, title, name: open.name, kind: open.kind },
      open,
    );
    const { awaits: _, ...rest } = asked;
    if (!isQuiet(step, call, open)) {
      replaceAsked(step, { ...rest, held: null });
      continue;
    }
    const held = heldAsk(step, call, open, title);
    replaceAsked(step, { ...rest, held });
    askRules(step, asked.askId, held);
  }
}

const NOTHING_TOLD = {
  status: null,
  input: undefined,
  paths: [],
  diffs: [],
  terminals: [],
  text: "",
  outputDelta: null,
  rawOutput: undefined,
} as const;

function replaceAsked(step: AcpStep, asked: AskedPermission): void {
  step.set({ asked: step.state.asked.map((other) => (other.askId === asked.askId ? asked : other)) });
}

/** What the rules say of a call that its agent asks about only because we make it. */
export function permissionDecided(step: AcpStep, asked: AskedPermission, answer: QueryAnswer): void {
  const { held } = asked;
  if (!held) return;
  const verdict = answer.type === "decided" ? answer.decision.verdict : "ask";
  if (verdict === "ask") {
    if (asked.shown !== true) openAsk(step, asked.askId, held);
    replaceAsked(step, { ...asked, held: null });
    return;
  }
  answerPermission(step, asked, verdict === "deny" ? "reject" : "approve");
  if (asked.shown === true) step.askClosed(asked.askId);
}

export function answerPermission(
  step: AcpStep,
  asked: AskedPermission,
  decision: "approve" | "reject" | "cancel",
): void {
  const optionId = decision === "approve" ? asked.allow : decision === "reject" ? asked.reject : null;
  step.respond(asked.id, { outcome: outcomeOf(optionId) });
  step.dropAsked(asked.askId);
}

/** By its kind, never by its place: agents list them in any order. */
function optionOf(options: readonly JsonObject[], kinds: readonly PermissionOptionKind[]): string | null {
  for (const kind of kinds) {
    const option = options.find((candidate) => stringAt(candidate, "kind") === kind);
    const optionId = option && stringAt(option, "optionId");
    if (optionId) return optionId;
  }
  return null;
}

function heldAsk(step: AcpStep, call: DescribedCall | null, open: OpenCall | null, title: string): HeldAsk {
  const kind = call?.kind ?? open?.kind ?? null;
  const name = open?.name ?? title;
  const input = (call && inputOf(step, call)) ?? null;
  const paths = [...new Set([...(call?.paths ?? []), ...(call?.diffs ?? []).map(({ path }) => path)])];
  const tool = { name, input, ...(kind === null ? {} : { kind }), ...(paths.length === 0 ? {} : { paths }) };
  const ask = askOf(name, kind);
  const command = commandOf(step, { ask, tool });
  if (command)
    return { ask, title: command.command, detail: commandDetail(step, command, title, call), tool };
  const isTold = ask === "command" && input !== null;
  const detail = isTold ? lines(JSON.stringify(input, null, 2), ...contentOf(call)) : detailOf(call, input);
  return { ask, title, detail, tool };
}

function askOf(name: string, kind: string | null): HeldAsk["ask"] {
  if (name.startsWith("mcp_")) return "use_mcp_server";
  return kind === "execute" ? "command" : "tool";
}

/** The whole line that would be run, and where; then what is said of it, which may be anything. */
function commandDetail(
  step: AcpStep,
  { command, cwd }: ApprovedCommand,
  title: string,
  call: DescribedCall | null,
): string {
  const place = cwd === step.state.cwd ? "" : `(in ${cwd})`;
  const said = title.includes(command) ? textAt(fieldsOf(call?.input ?? null), "description") : title;
  const isSaid = said === null || (call?.text ?? "").includes(said);
  return lines(command, place, isSaid ? "" : `Described as: ${said}`, ...contentOf(call));
}

function contentOf(call: DescribedCall | null): readonly string[] {
  return call ? [call.text, shownDiffs(call.diffs)] : [];
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** What exactly would be done, as a person can read it. */
function detailOf(call: DescribedCall | null, input: Json): string {
  if (!call) return "";
  const fields = fieldsOf(input);
  const diff = call.diffs.length > 0 ? shownDiffs(call.diffs) : textAt(fields, "diff");
  if (diff !== null && diff !== "") return diff;
  const whole = input === null ? call.paths.join("\n") : JSON.stringify(input, null, 2);
  if (call.text === "") return whole;
  const runs = ["command", "cmd"].some((key) => Object.hasOwn(fields, key));
  return runs ? `${whole}\n${call.text}` : call.text;
}

/** Files that it says it would write. What it does not say how, it may write in any way, once. */
function writesOf({ kind, paths, diffs }: DescribedCall): readonly ApprovedWrite[] {
  if (diffs.length > 0) return diffs.map(({ path, newText }) => ({ path, content: digest(newText) }));
  return kind === "edit" ? paths.map((path) => ({ path, content: null })) : [];
}

/** Only that very one may then be run in a terminal. */
function commandOf(step: AcpStep, { ask, tool }: Pick<HeldAsk, "ask" | "tool">): ApprovedCommand | null {
  const input = fieldsAt(fieldsOf(tool), "input");
  return ask === "command" ? askedCommand(input, step.state.cwd) : null;
}

/** No rule can say anything of a call of which nothing is known. */
function isUnknown({ input, paths }: DescribedCall): boolean {
  return input === undefined && paths.length === 0;
}

/** Files that the agents' own rules would have a person decide about. */
const SECRET = /["/]\.env\b(?!\.example\b)/;

function isQuiet({ agent }: AcpStep, call: DescribedCall | null, open: OpenCall | null): boolean {
  const kind = call?.kind ?? open?.kind ?? null;
  if (!call || kind === null || !(agent.quirks.quietKinds ?? []).includes(kind)) return false;
  return !SECRET.test(JSON.stringify([call.paths, call.title, call.input ?? null]));
}

/** With one of these, more is run than the words of the command. */
const FURTHER_FIELDS = ["arguments", "env"] as const;

/** As the line that would be run, and where. Null: the input does not tell it in words, or not in words alone. */
export function askedCommand(input: JsonObject, cwd: string): ApprovedCommand | null {
  if (FURTHER_FIELDS.some((key) => Object.hasOwn(input, key))) return null;
  const program = fieldAt(input, "command") ?? fieldAt(input, "cmd");
  const args = fieldAt(input, "args") ?? [];
  const words = isList(program) ? [...program, ...asList(args)] : [program, ...asList(args)];
  if (!words.every((word) => typeof word === "string")) return null;
  const [command = "", ...rest] = words;
  if (command === "") return null;
  return {
    command: commandLine({ command, args: rest, env: [] }),
    cwd: textAt(input, "cwd") ?? cwd,
  };
}

/** What is no list is no word either. */
function asList(value: Json): readonly (Json | undefined)[] {
  return isList(value) ? value : [undefined];
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Tools of others have other kinds: none of them can pass for a question. */
const KIND = "think";

type Request = Pick<Asked, "askId" | "id"> & {
  readonly submit: { readonly allow: string | null; readonly reject: string | null };
};

/** False: it is none. */
export function askedByPermission(step: AcpStep, request: Request, call: DescribedCall): boolean {
  if (step.agent.quirks.questionsArePermissions !== true || call.kind !== KIND) return false;
  const questions = listAt(fieldsOf(call.input ?? null), "questions").map(fieldsOf);
  const form = questions.slice(0, FIELDS_MAX).map(fieldOf);
  if (form.length === 0 || form.some(({ title }) => title === "")) return false;
  if (!addAsked(step, { ...request, type: "question", form })) return true;
  openAsk(step, request.askId, {
    ask: "followup",
    title: form[0]?.title ?? "",
    detail: form.flatMap(described).join("\n"),
    tool: { name: call.title ?? "question", input: call.input ?? null },
  });
  return true;
}

function fieldOf(question: JsonObject, index: number): QuestionField {
  const choices = listAt(question, "options")
    .slice(0, CHOICES_MAX)
    .flatMap((option) => {
      const label = stringAt(fieldsOf(option), "label");
      return label === null ? [] : [{ value: label, label }];
    });
  return {
    key: String(index),
    title: textAt(question, "question") ?? "",
    type: fieldAt(question, "multiSelect") === true ? "list" : "text",
    choices,
    other: false,
  };
}
