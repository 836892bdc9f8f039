/** Claude's questions (its tool `AskUserQuestion`): what a person reads, and what their reply means. */
import type { Json } from "../../core/index.js";
import {
  fieldsAt,
  fieldsOf,
  type JsonObject,
  listAt,
  objectAt,
  objectOf,
  objectsAt,
  parseObject,
  textAt,
} from "../kit/json.js";

export interface Question {
  readonly question: string;
  readonly header: string | null;
  readonly isMultiple: boolean;
  readonly options: readonly { readonly label: string; readonly description: string | null }[];
}

export function questionsIn(input: Json): readonly Question[] {
  return objectsAt(objectOf(input), "questions").flatMap((item) => {
    const question = textAt(item, "question");
    if (question === null) return [];
    const options = objectsAt(item, "options").flatMap((option) => {
      const label = textAt(option, "label");
      return label === null ? [] : [{ label, description: textAt(option, "description") }];
    });
    return [{ question, header: textAt(item, "header"), isMultiple: item["multiSelect"] === true, options }];
  });
}

export function questionWords(questions: readonly Question[]): {
  readonly title: string;
  readonly detail: string;
} {
  const [first, ...others] = questions;
  if (!first) return { title: "Claude asks something", detail: "" };
  if (others.length === 0) return { title: first.question, detail: choicesText(first) };
  const names = questions.map(({ header, question }) => header ?? question);
  const texts = questions.map((item, index) => `${index + 1}. ${item.question}\n${choicesText(item)}`);
  const detail = [...texts, `Answer all ${questions.length}: one line each.`].join("\n\n");
  return { title: `${questions.length} questions: ${names.join(", ")}`, detail };
}

function choicesText({ options, isMultiple }: Question): string {
  if (options.length === 0) return "Answer in your own words.";
  const lines = options.map(({ label, description }, index) => {
    const more = description === null || description === label ? "" : ` — ${description}`;
    return `  ${index + 1}) ${label}${more}`;
  });
  const how = isMultiple ? "Choose one or several, separated by commas" : "Choose one";
  return [...lines, `${how}, by number or name, or answer in your own words.`].join("\n");
}

/** An answer for each question. A reply that cannot be told apart answers all of them. */
export function answersFrom(questions: readonly Question[], reply: string): Readonly<Record<string, string>> {
  const text = reply.trim();
  const parts = questions.length > 1 ? partsFor(questions.length, text) : null;
  const entries = questions.map((item, index): [string, string] => [
    item.question,
    answerOf(item, withoutName(item, index, parts?.[index] ?? text)),
  ]);
  // Not by assignment: a question may be called `__proto__`.
  return Object.fromEntries(entries);
}

/** `Colour: red` and `1: red` name their question. */
function withoutName({ question, header }: Question, index: number, part: string): string {
  const names = [question, header ?? question, String(index + 1)].map((name) => name.toLowerCase());
  const colon = part.indexOf(":");
  const isNamed = colon > 0 && names.includes(part.slice(0, colon).trim().toLowerCase());
  return isNamed ? part.slice(colon + 1).trim() : part;
}

function answerOf({ options, isMultiple }: Question, text: string): string {
  const labels = options.map(({ label }) => label);
  const chosen = (part: string): string | null => {
    const index = chosenIndex(labels, part);
    return index === null ? null : (labels[index] ?? null);
  };
  if (!isMultiple) return chosen(text) ?? text;
  return partsOf(text, /[,\n]/)
    .map((part) => chosen(part) ?? part)
    .join(", ");
}

interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** What may be chosen: the value, and how it is called. */
  readonly choices: readonly { readonly value: Json; readonly label: string }[];
}

export function elicitationWords(request: JsonObject): { readonly title: string; readonly detail: string } {
  const server = textAt(request, "mcp_server_name") ?? "an MCP server";
  const message = textAt(request, "message") ?? textAt(request, "title") ?? "It asks something.";
  const url = textAt(request, "url");
  const fields = formOf(request);
  const lines = [
    message,
    ...(url === null ? [] : [`Open ${url}, and answer here when you are done.`]),
    ...fields.map(fieldText),
    ...(fields.length > 1 ? ["Answer with a line for each, such as `name: value`."] : []),
    "Answer `decline` to refuse.",
  ];
  return { title: `${server} asks: ${message}`, detail: lines.join("\n") };
}

function fieldText({ name, title, type, isRequired, choices }: Field): string {
  const labels = choices.map(({ label }, index) => `${index + 1}) ${label}`);
  const kind = labels.length > 0 ? labels.join(", ") : type;
  return `  ${name}${title === name ? "" : ` (${title})`}: ${kind}${isRequired ? "" : ", if you like"}`;
}

/** What Claude is answered. */
export function elicitationAnswer(request: JsonObject, reply: string): Json {
  const text = reply.trim();
  if (/^(decline|cancel)$/i.test(text)) return { action: text.toLowerCase() };
  const fields = formOf(request);
  const given = parseObject(text);
  return { action: "accept", content: given ?? contentOf(fields, text) };
}

function contentOf(fields: readonly Field[], text: string): Json {
  const [only, second] = fields;
  if (!only) return {};
  if (!second) return Object.fromEntries([[only.name, valueOf(only, afterName(only, text) ?? text)]]);
  const named = partsOf(text, "\n").flatMap((line) =>
    fields.flatMap((field): [string, Json][] => {
      const value = afterName(field, line);
      return value === null ? [] : [[field.name, valueOf(field, value)]];
    }),
  );
  if (named.length > 0) return Object.fromEntries(named);
  const required = fields.filter(({ isRequired }) => isRequired);
  const asked = partsFor(fields.length, text) || required.length === 0 ? fields : required;
  const parts = partsFor(asked.length, text) ?? [text];
  return Object.fromEntries(
    asked.slice(0, parts.length).map((field, index) => [field.name, valueOf(field, parts[index] ?? "")]),
  );
}

function afterName({ name, title }: Field, line: string): string | null {
  const match = /^([^:=]+)[:=](.*)$/s.exec(line);
  const called = match?.[1]?.trim().toLowerCase();
  if (called !== name.toLowerCase() && called !== title.toLowerCase()) return null;
  return match?.[2]?.trim() ?? null;
}

function valueOf(field: Field, text: string): Json {
  if (field.type === "array") return partsOf(text, ",").map((part) => choiceOf(field, part));
  if (field.choices.length > 0) return choiceOf(field, text);
  if (field.type === "boolean") return /^(y|yes|true|on|1)$/i.test(text.trim());
  const number = Number(text);
  const isNumber = field.type === "number" || field.type === "integer";
  return isNumber && text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function choiceOf({ choices }: Field, text: string): Json {
  const byValue = choices.find(({ value }) => value === text.trim());
  const index = chosenIndex(
    choices.map(({ label }) => label),
    text,
  );
  return byValue?.value ?? (index === null ? undefined : choices[index]?.value) ?? text;
}

function formOf(request: JsonObject): readonly Field[] {
  const schema = objectAt(request, "requested_schema");
  const required = listAt(schema, "required");
  return Object.entries(fieldsAt(schema, "properties")).map(([name, property]) => {
    const described = fieldsOf(property);
    return {
      name,
      title: textAt(described, "title") ?? name,
      type: textAt(described, "type") ?? "string",
      isRequired: required.includes(name),
      choices: choicesOf(described["type"] === "array" ? fieldsAt(described, "items") : described),
    };
  });
}

/** Of `enum`, with or without `enumNames`, and of `oneOf` or `anyOf` with titles. */
function choicesOf(schema: JsonObject): Field["choices"] {
  const names = listAt(schema, "enumNames");
  const values = listAt(schema, "enum").map((value, index) => {
    const name = names[index];
    return { value, label: typeof name === "string" ? name : labelOf(value) };
  });
  const titled = [...objectsAt(schema, "oneOf"), ...objectsAt(schema, "anyOf")].flatMap((one) => {
    const value = one["const"];
    return value === undefined ? [] : [{ value, label: textAt(one, "title") ?? labelOf(value) }];
  });
  return [...values, ...titled];
}

function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The place of the choice that a person means by its number, counted from 1, or by its words; null: none of them. */
export function chosenIndex(labels: readonly string[], text: string): number | null {
  const words = text.trim().toLowerCase();
  const byWords = labels.findIndex((label) => label.trim().toLowerCase() === words);
  if (byWords >= 0) return byWords;
  const number = /^#?(\d{1,4})[.)]?$/.exec(words)?.[1];
  if (number === undefined) return null;
  const index = Number(number) - 1;
  return index >= 0 && index < labels.length ? index : null;
}

/** One part for each of `count` things, when the text can be cut that way: lines, else semicolons, else commas; or null. */
export function partsFor(count: number, text: string): readonly string[] | null {
  for (const separator of ["\n", ";", ","]) {
    const parts = partsOf(text, separator);
    if (parts.length === count) return parts;
  }
  return null;
}

export function partsOf(text: string, separator: string | RegExp): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
