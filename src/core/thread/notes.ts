/**
 * What agents tell beside the conversation: the answers of their commands, retries, limits, compaction.
 *
 * They come as `status` and `metadata`, in whatever words the agent has. What is not known here stays hidden: a newer
 * agent may tell anything.
 */
import { toolTitle } from "../words/tool-words.js";
import type { Note, NoteKind } from "./thread.js";

/** Longer than any notice; an agent's help may be a page. */
const NOTE_LENGTH_MAX = 20_000;
const PLAN_STEPS_MAX = 100;

export interface FoundNote {
  readonly kind: NoteKind;
  readonly text: string;
  /** One of these in a stream takes the place of the one before. */
  readonly slot?: "plan";
}

type Payload = Readonly<Record<string, unknown>>;

export function noteIn(type: "status" | "metadata", payload: Payload): FoundNote | null {
  const note = type === "status" ? statusNote(payload) : metadataNote(payload);
  if (note === null || note.text.trim() === "") return null;
  return { ...note, text: note.text.trim().slice(0, NOTE_LENGTH_MAX) };
}

function statusNote(payload: Payload): FoundNote | null {
  const text = textAt(payload, "text");
  if (text === null) return null;
  if ("resetsAtMs" in payload) return { kind: "limit", text };
  if ("attempt" in payload) return { kind: "problem", text };
  return { kind: /\bcompact/i.test(text) ? "compaction" : "said", text };
}

function metadataNote(payload: Payload): FoundNote | null {
  for (const [key, read] of READ) {
    if (!Object.hasOwn(payload, key)) continue;
    const note = read(payload[key], payload);
    if (note) return note;
  }
  return null;
}

type Read = (value: unknown, payload: Payload) => FoundNote | null;

const READ: readonly (readonly [string, Read])[] = [
  ["note", (note, { boundary }) => said(note, boundary === true ? "boundary" : "said")],
  ["problem", (problem) => said(problem, "problem")],
  ["refused", refusedNote],
  ["compaction", compactionNote],
  ["notice", noticeNote],
  ["item", (item) => (textAt(item, "type") === "contextCompaction" ? COMPACTED : null)],
  ["rateLimits", limitNote],
  ["grant", grantNote],
  ["permission", permissionNote],
  ["plan", planNote],
];

const COMPACTED: FoundNote = { kind: "compaction", text: "The conversation was compacted." };

function said(value: unknown, kind: NoteKind): FoundNote | null {
  return typeof value === "string" ? { kind, text: value } : null;
}

function refusedNote(refused: unknown): FoundNote | null {
  const message = textAt(refused, "message");
  if (message === null) return null;
  const command = textAt(refused, "command");
  return { kind: "problem", text: command === null ? message : `${command}: ${message}` };
}

/** One that has only begun is no news: it ends. */
function compactionNote(compaction: unknown): FoundNote | null {
  const status = textAt(compaction, "status") ?? "";
  if (status === "failed") return { kind: "problem", text: "The conversation could not be compacted." };
  return status === "in_progress" || status === "pending" ? null : COMPACTED;
}

/** Either the words themselves, an object with words, or the name of a notification with what it carries. */
function noticeNote(notice: unknown, payload: Payload): FoundNote | null {
  if (typeof notice !== "string") {
    const text = textAt(notice, "message") ?? textAt(notice, "text") ?? textAt(notice, "title");
    const level = textAt(notice, "level") ?? textAt(notice, "severity");
    return text === null
      ? null
      : { kind: level === "error" || level === "warning" ? "problem" : "said", text };
  }
  if (!Object.hasOwn(payload, "params")) return isName(notice) ? null : { kind: "said", text: notice };
  if (notice === "thread/compacted") return COMPACTED;
  const { params } = payload;
  const error = isObject(params) ? params["error"] : undefined;
  const words = textAt(error, "message") ?? textAt(params, "message") ?? textAt(params, "summary");
  const isProblem = notice === "error" || /warning|deprecation|rerouted/i.test(notice);
  return words !== null && isProblem ? { kind: "problem", text: words } : null;
}

/** Only one that is reached. */
function limitNote(limits: unknown): FoundNote | null {
  if (!isObject(limits)) return null;
  const isReached = ["primary", "secondary"].some((name) => {
    const limit = limits[name];
    const used = isObject(limit) ? limit["usedPercent"] : undefined;
    return typeof used === "number" && used >= 100;
  });
  return isReached ? { kind: "limit", text: "The limit of the plan is reached." } : null;
}

const SCOPES: Readonly<Record<string, string>> = {
  session: "for this session",
  project: "in this project",
  always: "everywhere",
};

function grantNote(grant: unknown): FoundNote | null {
  const problem = textAt(grant, "problem");
  if (problem !== null) return { kind: "problem", text: problem };
  const rules = isObject(grant) && Array.isArray(grant["rules"]) ? grant["rules"] : [];
  const shown = rules.filter((rule) => typeof rule === "string");
  const scope = SCOPES[textAt(grant, "scope") ?? ""];
  if (shown.length === 0 || scope === undefined) return null;
  return { kind: "granted", text: `Allowed ${scope}: ${shown.join(", ")}` };
}

/** What a rule allowed is no news. */
function permissionNote(permission: unknown): FoundNote | null {
  if (textAt(permission, "verdict") !== "deny") return null;
  const tool = toolTitle(textAt(permission, "tool") ?? "");
  const reason = textAt(permission, "because");
  return { kind: "problem", text: `A rule denied “${tool}”${reason === null ? "" : `: ${reason}`}` };
}

const STEP_SIGNS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]" };

function planNote(plan: unknown): FoundNote | null {
  if (!Array.isArray(plan)) return null;
  const steps = plan.slice(0, PLAN_STEPS_MAX).flatMap((step): string[] => {
    const content = textAt(step, "content");
    return content === null ? [] : [`${STEP_SIGNS[textAt(step, "status") ?? ""] ?? "[ ]"} ${content}`];
  });
  return { kind: "plan", text: steps.join("\n"), slot: "plan" };
}

/** The same thing again, or the next attempt at it: one line that counts is enough. */
export function isRepeated(before: Note, note: FoundNote): boolean {
  // The command that archived the conversation answers that it did.
  if (before.kind === "boundary") return note.kind === "said" || note.kind === "boundary";
  return before.kind === note.kind && (note.kind === "problem" || before.text === note.text);
}

function isName(text: string): boolean {
  return /^[\w-]+(\/[\w-]+)*$/.test(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textAt(value: unknown, key: string): string | null {
  const text = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof text === "string" && text !== "" ? text : null;
}
