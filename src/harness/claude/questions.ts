/** Claude's questions (its tool `AskUserQuestion`): what a person reads, and what their reply means. */
import type { Json } from "../../core/index.js";
import { chosenIndex, partsFor, partsOf } from "./choice.js";
import { objectOf, objectsAt, textAt } from "./wire-object.js";

export interface Question {
  readonly question: string;
  readonly header: string | null;
  readonly isMultiple: boolean;
  readonly options: readonly { readonly label: string; readonly description: string | null }[];
}

export function questionsIn(input: Json): readonly Question[] {
  return objectsAt(objectOf(input) ?? {}, "questions").flatMap((item) => {
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
