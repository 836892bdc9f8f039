/** `elicitation/create`: a question, as a form. A person answers in words; here they are put into its fields. */
import type { CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import type { RpcId } from "../kit/json-rpc.js";
import { fieldsAt, fieldsOf, firstTextAt, type JsonObject, listAt, stringAt, textAt } from "../kit/json.js";
import type { Asked, QuestionField } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { addAsked, askIdOf, openAsk, outcomeOf } from "./asks.js";

export const FIELDS_MAX = 32;
export const CHOICES_MAX = 64;

type AskedQuestion = Extract<Asked, { readonly type: "question" }>;

export function takeQuestion(step: AcpStep, id: RpcId, params: JsonObject): void {
  const message = stringAt(params, "message") ?? "";
  const schema = fieldsAt(params, "requestedSchema");
  const url = textAt(params, "url");
  const form = url === null ? formOf(schema) : null;
  const asked: Asked = { askId: askIdOf(id), id, type: "question", form };
  if (!addAsked(step, asked)) return;
  const detail = [message, url, ...(form ?? []).flatMap(described)]
    .filter((part) => part !== null)
    .join("\n");
  // With nothing to fill in, it is a matter of yes or no: so MCP servers ask through the Codex bridge.
  const ask = form?.length === 0 ? "use_mcp_server" : "followup";
  const tool = { name: "elicitation/create", input: { message } };
  openAsk(step, asked.askId, { ask, title: message.split("\n")[0] ?? "", detail, tool });
}

export function answerQuestion(step: AcpStep, asked: AskedQuestion, text: string): void {
  const { askId, id, form, submit } = asked;
  const content = form ? contentOf(form, text) : {};
  if (submit) step.respond(id, { outcome: outcomeOf(submit.allow), answers: inWords(content) });
  else step.respond(id, { action: "accept", content } satisfies CreateElicitationResponse);
  step.dropAsked(askId);
}

/** Several choices are told as one text. */
function inWords(content: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Array.isArray(value) ? value.join(", ") : value]),
  );
}

export function declineQuestion(
  step: AcpStep,
  { askId, id, submit }: AskedQuestion,
  action: "decline" | "cancel",
): void {
  if (submit) step.respond(id, { outcome: outcomeOf(action === "decline" ? submit.reject : null) });
  else step.respond(id, { action } satisfies CreateElicitationResponse);
  step.dropAsked(askId);
}

function formOf(schema: JsonObject): readonly QuestionField[] {
  const fields: QuestionField[] = [];
  for (const [key, value] of Object.entries(fieldsAt(schema, "properties")).slice(0, FIELDS_MAX)) {
    const property = fieldsOf(value);
    const type = FIELD_TYPES[stringAt(property, "type") ?? ""] ?? "text";
    const choices = choicesOf(type === "list" ? fieldsAt(property, "items") : property);
    const before = fields.at(-1);
    // Claude's bridge adds such a field to each question with choices.
    const other = before !== undefined && before.choices.length > 0 && key === `${before.key}_custom`;
    fields.push({ key, title: firstTextAt(property, ["title", "description"]) ?? key, type, choices, other });
  }
  return fields;
}

const FIELD_TYPES: Readonly<Record<string, QuestionField["type"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "list",
};

function choicesOf(schema: JsonObject): QuestionField["choices"] {
  const named = [...listAt(schema, "oneOf"), ...listAt(schema, "anyOf")].flatMap((option) => {
    const value = stringAt(fieldsOf(option), "const");
    return value === null ? [] : [{ value, label: stringAt(fieldsOf(option), "title") ?? value }];
  });
  const plain = listAt(schema, "enum").flatMap((value) =>
    typeof value === "string" ? [{ value, label: value }] : [],
  );
  return [...named, ...plain].slice(0, CHOICES_MAX);
}

export function described({ title, choices, other }: QuestionField): readonly string[] {
  if (other) return [];
  return [`${title}:`, ...choices.map(({ label }, index) => `  ${index + 1}. ${label}`)];
}

/** One field takes all that was said; of several, each takes a line, which may begin with the field's name. */
function contentOf(form: readonly QuestionField[], text: string): Record<string, Json> {
  const asked = form.filter(({ other }) => !other);
  const lines = asked.length <= 1 ? [text] : text.split("\n").filter((line) => line.trim() !== "");
  const content: Record<string, Json> = {};
  asked.forEach((field, index) => {
    const named = lines.find((line) => startsWithName(line, field));
    const line = named === undefined ? lines[index] : named.slice(named.indexOf(":") + 1);
    if (line !== undefined) fill(content, field, line.trim(), otherOf(form, field));
  });
  return content;
}

function startsWithName(line: string, { title, key }: QuestionField): boolean {
  const name = line
    .slice(0, Math.max(0, line.indexOf(":")))
    .trim()
    .toLowerCase();
  return name !== "" && (name === title.toLowerCase() || name === key.toLowerCase());
}

function otherOf(form: readonly QuestionField[], field: QuestionField): string | null {
  const next = form[form.indexOf(field) + 1];
  return next?.other === true ? next.key : null;
}

function fill(content: Record<string, Json>, field: QuestionField, text: string, other: string | null): void {
  const { key, type, choices } = field;
  if (type === "boolean") content[key] = /^(?:y|yes|true|1|on|ok)$/i.test(text);
  else if (type === "number") content[key] = Number.isFinite(Number(text)) ? Number(text) : 0;
  else if (type === "list")
    content[key] = text.split(",").map((part) => chosen(choices, part.trim()) ?? part.trim());
  else {
    const choice = choices.length === 0 ? text : chosen(choices, text);
    if (choice === null && other !== null) content[other] = text;
    else content[key] = choice ?? text;
  }
}

/** By its value, its label, the beginning of its label, or its number. */
function chosen(choices: QuestionField["choices"], text: string): string | null {
  const lower = text.toLowerCase();
  const choice =
    choices.find(({ value, label }) => value.toLowerCase() === lower || label.toLowerCase() === lower) ??
    choices.find(({ label }) => label.toLowerCase().startsWith(`${lower} `)) ??
    choices[Number(text) - 1];
  return choice?.value ?? null;
}
