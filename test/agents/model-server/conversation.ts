/** What an agent asked of its model, whatever the wire: as much of it as a script needs to decide. */

/** One thing that was said; of a tool, what came of its call. */
export interface Utterance {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** As much of a JSON schema as is needed to fill one in. */
export interface ToolSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

export interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: PropertySchema;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
}

export interface OfferedTool {
  readonly name: string;
  readonly schema: ToolSchema;
  /** Takes a text in a grammar of its own, not JSON. */
  readonly freeform: boolean;
  /** The group that the tool is offered in, where the wire has such. */
  readonly namespace?: string;
}

export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly utterances: readonly Utterance[];
  readonly tools: readonly OfferedTool[];
  /** Everything that the agent says of itself: its system prompt and its notes. */
  readonly setting: string;
  /** The answer must be JSON of this shape. */
  readonly answerSchema?: ToolSchema;
}

/** A loose look into a body that another program wrote. */
export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listIn(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter(isBody) : [];
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The words of a content that is a text, or a list of parts. */
export function flatText(content: unknown): string {
  if (typeof content === "string") return content;
  return listIn(content)
    .map((part) => textIn(part["text"]))
    .join("\n");
}
