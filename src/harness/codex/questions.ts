/** Questions to a person: of the agent itself, or of an MCP server as a form. */
import type { Json } from "../../core/index.js";
import { fieldsOf, type JsonObject, listAt, listOf, textAt, textOf, textsAt, textsOf } from "../kit/json.js";
import type { Question } from "./codex-state.js";

export interface ShownQuestion {
  readonly question: Question;
  readonly title: string;
  readonly detail: string;
}

/** More are left unanswered. */
const QUESTIONS_MAX = 16;

/** Of `item/tool/requestUserInput`. */
export function agentQuestions(questions: Json | undefined): readonly ShownQuestion[] {
  return listOf(questions)
    .slice(0, QUESTIONS_MAX)
    .map((value, index) => {
      const fields = fieldsOf(value);
      const asked = textAt(fields, "question") ?? "";
      const choices = listAt(fields, "options").map((option) => fieldsOf(option));
      const options = choices.map(({ label }) => textOf(label) ?? "");
      const secret = fields["isSecret"] === true ? ["The answer is secret; it is kept in the journal."] : [];
      const lines = choices.map(({ description }, at) => choiceLine(at, options[at], textOf(description)));
      return {
        question: { id: textAt(fields, "id") ?? String(index), options, type: "text" },
        title: textAt(fields, "header") ?? asked,
        detail: [asked, ...secret, ...lines].join("\n"),
      };
    });
}

/** Of a form: its required fields, or all when none is required. Empty when there is nothing to fill in. */
export function formQuestions(message: string, schema: Json | undefined): readonly ShownQuestion[] {
  const { properties, required } = fieldsOf(schema);
  const fields = Object.entries(fieldsOf(properties));
  const needed = textsOf(required);
  const asked = needed.length > 0 ? fields.filter(([name]) => needed.includes(name)) : fields;
  return asked.slice(0, QUESTIONS_MAX).map(([name, value]) => formField(message, name, fieldsOf(value)));
}

function formField(message: string, name: string, field: JsonObject): ShownQuestion {
  const options = textsAt(field, "enum");
  const title = textAt(field, "title") ?? name;
  const described = textAt(field, "description");
  const lines = options.map((option, index) => choiceLine(index, option, null));
  const type = fieldType(field["type"]);
  const question: Question = { id: name, options: type === "boolean" ? ["yes", "no"] : options, type };
  return {
    question,
    title,
    detail: [message, described === null ? title : `${title}: ${described}`, ...lines].join("\n"),
  };
}

function fieldType(type: Json | undefined): Question["type"] {
  if (type === "boolean") return "boolean";
  return type === "number" || type === "integer" ? "number" : "text";
}

function choiceLine(index: number, label = "", description: string | null): string {
  return `${index + 1}. ${label}${description === null ? "" : `: ${description}`}`;
}

/** A person may give a choice's number, or its words in whatever case; anything else is an answer of their own. */
export function answerTo({ options, type }: Question, reply: string): Json {
  const text = reply.trim();
  const chosen = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  const named = options.find((option) => plain(option) === plain(text));
  const answer = chosen ?? named ?? reply;
  switch (type) {
    case "text":
      return answer;
    case "number":
      return text !== "" && Number.isFinite(Number(text)) ? Number(text) : reply;
    case "boolean":
      return /^(yes|y|true|on|1)$/i.test(answer);
  }
}

function plain(label: string): string {
  return label
    .replace(/\(recommended\)\s*$/i, "")
    .trim()
    .toLowerCase();
}
