/** Questions of MCP servers, which Claude passes on: a form with fields, or a page to visit. */
import type { Json } from "../../core/index.js";
import { chosenIndex, partsFor, partsOf } from "./choice.js";
import {
  listAt,
  objectAt,
  objectOf,
  objectsAt,
  parseObject,
  textAt,
  type WireObject,
} from "./wire-object.js";

interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** What may be chosen: the value, and how it is called. */
  readonly choices: readonly { readonly value: Json; readonly label: string }[];
}

export function elicitationWords(request: WireObject): { readonly title: string; readonly detail: string } {
  const server = textAt(request, "mcp_server_name") ?? "an MCP server";
  const message = textAt(request, "message") ?? textAt(request, "title") ?? "It asks something.";
  const url = textAt(request, "url");
  const fields = fieldsOf(request);
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
export function elicitationAnswer(request: WireObject, reply: string): Json {
  const text = reply.trim();
  if (/^(decline|cancel)$/i.test(text)) return { action: text.toLowerCase() };
  const fields = fieldsOf(request);
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

function fieldsOf(request: WireObject): readonly Field[] {
  const schema = objectAt(request, "requested_schema") ?? {};
  const required = listAt(schema, "required");
  return Object.entries(objectAt(schema, "properties") ?? {}).map(([name, property]) => {
    const described = objectOf(property) ?? {};
    return {
      name,
      title: textAt(described, "title") ?? name,
      type: textAt(described, "type") ?? "string",
      isRequired: required.includes(name),
      choices: choicesOf(described["type"] === "array" ? (objectAt(described, "items") ?? {}) : described),
    };
  });
}

/** Of `enum`, with or without `enumNames`, and of `oneOf` or `anyOf` with titles. */
function choicesOf(schema: WireObject): Field["choices"] {
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
