/** A question to a person that comes as a permission request: Qwen Code asks so, and takes the answers beside the yes. */
import { CHOICES_MAX, described, FIELDS_MAX } from "./questions.js";
import type { Asked, QuestionField } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { addAsked, openAsk } from "./asks.js";
import { asObject, fieldAt, firstTextAt, listAt, textAt, type JsonObject } from "./json-fields.js";
import type { DescribedCall } from "./read-call.js";

/** Tools of others have other kinds: none of them can pass for a question. */
const KIND = "think";

type Request = Pick<Asked, "askId" | "id"> & {
  readonly submit: { readonly allow: string | null; readonly reject: string | null };
};

/** False: it is none. */
export function askedByPermission(step: AcpStep, request: Request, call: DescribedCall): boolean {
  if (step.agent.quirks.questionsArePermissions !== true || call.kind !== KIND) return false;
  const questions = listAt(asObject(call.input ?? null), "questions").map(asObject);
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
      const label = textAt(asObject(option), "label");
      return label === null ? [] : [{ value: label, label }];
    });
  return {
    key: String(index),
    title: firstTextAt(question, ["question"]) ?? "",
    type: fieldAt(question, "multiSelect") === true ? "list" : "text",
    choices,
    other: false,
  };
}
