/** Tool calls from their first sight to their end. What agents say of them differs; what we say of them does not. */
import { createHash } from "node:crypto";
import type { Json } from "../../core/index.js";
import { unifiedDiff } from "../kit/diff.js";
import {
  fieldAt,
  fieldsAt,
  fieldsOf,
  firstTextAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  textAt,
} from "../kit/json.js";
import { CALLS_MAX, type OpenCall } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";

const KEPT_DIFF_LENGTH_MAX = 10_000;
const KEPT_INPUT_LENGTH_MAX = 10_000;

const ENDED: ReadonlySet<string> = new Set(["completed", "failed"]);

/** A `tool_call` or an update to one. */
export function takeCall(step: AcpStep, call: DescribedCall): void {
  closeRejected(step, call.callId);
  // What is said of a call after its end is said again.
  if (step.state.ended.includes(call.callId)) return;
  const open = seeCall(step, call);
  if (call.status !== null && ENDED.has(call.status)) finishCall(step, open, call);
  else showOutput(step, open, call);
}

/** A call that is seen for the first time has begun; later, only what is new of it is told. */
export function seeCall(step: AcpStep, call: DescribedCall): OpenCall {
  const known = openCall(step, call.callId);
  const name = call.name ?? known?.name ?? nameOf(call);
  const given = inputOf(step, call);
  const input = given === undefined ? (known?.input ?? null) : digest(given);
  const open: OpenCall = {
    callId: call.callId,
    name,
    kind: call.kind ?? known?.kind ?? null,
    input,
    output: known?.output ?? null,
    told: toldOf(given, call.paths) ?? known?.told ?? null,
    diff: keptDiff(call) ?? known?.diff ?? null,
    rejected: known?.rejected ?? false,
  };
  const args = given === undefined || input === known?.input ? {} : { argsDelta: JSON.stringify(given) };
  if (!known) {
    step.toolStarted(call.callId, name, args);
    step.set({ message: { ...step.state.message, open: false } });
  } else if ("argsDelta" in args || name !== known.name) {
    step.tool(call.callId, { name, ...args, replace: true });
  }
  put(step, open);
  return open;
}

/** Null while nothing is told of it, and of what is too long to keep. */
function toldOf(input: Json | undefined, paths: readonly string[]): OpenCall["told"] {
  if (input === undefined && paths.length === 0) return null;
  const told = { input: input ?? null, paths };
  return JSON.stringify(told).length > KEPT_INPUT_LENGTH_MAX ? null : told;
}

/** A request for permission, with what was told of its call before. */
export function withTold(call: DescribedCall, { told }: OpenCall): DescribedCall {
  if (told === null) return call;
  const input = call.input ?? told.input ?? undefined;
  return { ...call, input, paths: call.paths.length > 0 ? call.paths : told.paths };
}

/** Titles are for people: a command, a path, a sentence. Only one that looks like a name is taken for it. */
function nameOf({ name, title, kind }: DescribedCall): string {
  if (name !== null) return name;
  if (title !== null && /^[\w.:-]{1,64}$/.test(title)) return title;
  return (kind === null ? undefined : KIND_NAMES[kind]) ?? title ?? "tool";
}

const KIND_NAMES: Readonly<Record<string, string | undefined>> = {
  execute: "shell",
  edit: "edit",
  read: "read",
  delete: "delete",
  move: "move",
  search: "search",
  fetch: "fetch",
};

/** What it is called with; undefined while nothing is known of it. */
export function inputOf({ agent }: AcpStep, { input, kind, title }: DescribedCall): Json | undefined {
  const isTitle = agent.quirks.titleIsCommand === true && kind === "execute" && title !== null;
  return input === undefined && isTitle ? { command: title } : input;
}

/** Somebody said no to it. */
export function markRejected(step: AcpStep, callId: string): void {
  const known = openCall(step, callId);
  if (known) put(step, { ...known, rejected: true });
}

/** Rejected calls end when the agent goes on without a word about them. */
export function closeRejected(step: AcpStep, except: string | null): void {
  for (const call of step.state.calls)
    if (call.rejected && call.callId !== except)
      drop(step, call, { error: "It was not allowed.", rejected: true });
}

/** With the turn, every call is over. */
export function closeCalls(step: AcpStep): void {
  closeRejected(step, null);
  for (const call of step.state.calls) drop(step, call, { canceled: true });
}

function finishCall(step: AcpStep, open: OpenCall, call: DescribedCall): void {
  const ok = call.status === "completed";
  if (call.outputDelta !== null) step.tool(open.callId, { outputDelta: call.outputDelta });
  const output = outputOf(call);
  const diff = call.diffs.length > 0 ? shownDiffs(call.diffs) : ok ? open.diff : null;
  step.toolEnded({
    callId: open.callId,
    ...(output === null ? {} : { output }),
    isError: !ok,
    ...(open.rejected && !ok ? { rejected: true } : {}),
    ...(diff === null ? {} : { diff }),
  });
  remove(step, open.callId);
}

/** Many agents show what they would change only before they do. Kept if it is short. */
function keptDiff({ diffs }: DescribedCall): string | null {
  if (diffs.length === 0) return null;
  const diff = shownDiffs(diffs);
  return diff.length > KEPT_DIFF_LENGTH_MAX ? null : diff;
}

/** While it runs, agents send the whole text so far, again and again; some send pieces. */
function showOutput(step: AcpStep, open: OpenCall, call: DescribedCall): void {
  if (call.outputDelta !== null) step.tool(open.callId, { outputDelta: call.outputDelta });
  if (call.text === "") return;
  const output = digest(call.text);
  if (output === open.output) return;
  step.tool(open.callId, { outputDelta: call.text, replace: true });
  put(step, { ...open, output });
}

/** What a terminal that the call shows has printed; a call that ended without a word of it gets it as its result. */
export function showTerminalOutput(
  step: AcpStep,
  { callId, ok }: { readonly callId: string; readonly ok: boolean | null },
  text: string,
): void {
  if (text === "") return;
  const open = openCall(step, callId);
  if (!open) {
    if (ok !== null) step.stream("tool_call_completed", { callId, output: text, isError: !ok });
    return;
  }
  const output = digest(text);
  if (output === open.output) return;
  step.tool(callId, { outputDelta: text, replace: true });
  put(step, { ...open, output });
}

function outputOf({ text, rawOutput }: DescribedCall): string | null {
  if (text !== "") return text;
  if (typeof rawOutput === "string") return rawOutput;
  return firstTextAt(fieldsOf(rawOutput), ["output", "content", "error", "message"]);
}

function openCall({ state }: AcpStep, callId: string): OpenCall | null {
  return state.calls.find((call) => call.callId === callId) ?? null;
}

function put(step: AcpStep, open: OpenCall): void {
  const { calls } = step.state;
  const index = calls.findIndex((call) => call.callId === open.callId);
  if (index >= 0) step.set({ calls: calls.with(index, open) });
  else step.set({ calls: [...calls, open].slice(-CALLS_MAX) });
}

function drop(
  step: AcpStep,
  { callId }: OpenCall,
  how: { readonly error: string; readonly rejected: true } | { readonly canceled: true },
): void {
  step.toolEnded({ callId, isError: true, ...how });
  remove(step, callId);
}

function remove(step: AcpStep, callId: string): void {
  const { calls, ended } = step.state;
  step.set({
    calls: calls.filter((call) => call.callId !== callId),
    ended: [...ended, callId].slice(-CALLS_MAX),
  });
}

/** Tells two values apart, in little room. */
export function digest(value: Json): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}

export interface DescribedCall {
  readonly callId: string;
  readonly title: string | null;
  /** The tool's own name, where it is told. */
  readonly name: string | null;
  readonly kind: string | null;
  readonly status: string | null;
  /** Undefined while nothing is known of it. */
  readonly input: Json | undefined;
  readonly paths: readonly string[];
  readonly diffs: readonly FileDiff[];
  /** Terminals that it shows. */
  readonly terminals: readonly string[];
  /** Texts of its content; what it puts out, once it runs. */
  readonly text: string;
  /** What it put out since the last update. */
  readonly outputDelta: string | null;
  readonly rawOutput: Json | undefined;
}

export interface FileDiff {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

/** Null: it has no id, and cannot be told from others. */
export function readCall(call: JsonObject): DescribedCall | null {
  const callId = stringAt(call, "toolCallId");
  if (callId === null || callId === "") return null;
  const content = listAt(call, "content").map(fieldsOf);
  const input = fieldAt(call, "rawInput");
  const terminal = objectAt(objectAt(call, "_meta"), "terminal_output_delta");
  return {
    callId,
    title: textAt(call, "title"),
    name: nameIn(call, callId, input),
    kind: stringAt(call, "kind"),
    status: stringAt(call, "status"),
    input: isObject(input) && Object.keys(input).length === 0 ? undefined : input,
    paths: listAt(call, "locations").flatMap((location) => stringAt(fieldsOf(location), "path") ?? []),
    diffs: content.flatMap((part) => diffIn(part) ?? []),
    terminals: content.flatMap((part) => terminalIn(part) ?? []),
    text: content.flatMap((part) => textIn(part) ?? []).join("\n"),
    outputDelta: textAt(terminal, "data"),
    rawOutput: fieldAt(call, "rawOutput"),
  };
}

/** As one text, for a person. */
export function shownDiffs(diffs: readonly FileDiff[]): string {
  return diffs.map(({ path, oldText, newText }) => unifiedDiff(path, oldText, newText)).join("");
}

/** The text of a block of content; a word for what is no text. */
export function blockText(block: JsonObject): string {
  const text = stringAt(block, "text") ?? stringAt(objectAt(block, "resource"), "text");
  if (text !== null) return text;
  const uri = stringAt(block, "uri") ?? stringAt(objectAt(block, "resource"), "uri");
  return uri ?? `[${stringAt(block, "type") ?? "content"}]`;
}

function textIn(part: JsonObject): string | null {
  return stringAt(part, "type") === "content" ? blockText(fieldsAt(part, "content")) : null;
}

function terminalIn(part: JsonObject): string | null {
  return stringAt(part, "type") === "terminal" ? stringAt(part, "terminalId") : null;
}

function diffIn(part: JsonObject): FileDiff | null {
  const [path, newText] = [stringAt(part, "path"), stringAt(part, "newText")];
  if (stringAt(part, "type") !== "diff" || path === null || newText === null) return null;
  return { path, oldText: stringAt(part, "oldText"), newText };
}

function nameIn(call: JsonObject, callId: string, input: Json | undefined): string | null {
  const { server, tool } = fieldsOf(input);
  // Codex calls tools of MCP servers so.
  if (typeof server === "string" && typeof tool === "string") return `mcp__${server}__${tool}`;
  const meta = objectAt(call, "_meta");
  const told =
    textAt(call, "name") ?? textAt(objectAt(meta, "claudeCode"), "toolName") ?? textAt(meta, "toolName");
  // Gemini CLI tells it in the id only: `name__name_time_index`.
  return told ?? /^(.+)__\1_\d+_\d+$/.exec(callId)?.[1] ?? null;
}
