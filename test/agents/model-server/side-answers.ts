/** What agents ask of a provider beside the model itself: which models there are, and how long a text is. */
import { TOKENS } from "./wire.js";

/** The only model there is. */
export const MODEL = "signalbox-scripted";

const MODEL_LIST = {
  object: "list",
  data: [
    {
      id: MODEL,
      object: "model",
      type: "model",
      display_name: "Scripted",
      created: 1,
      owned_by: "signalbox",
    },
  ],
  models: [],
  has_more: false,
  first_id: MODEL,
  last_id: MODEL,
};

/** Null: there is no such path. */
export function sideAnswer(path: string): unknown {
  if (path.endsWith("/count_tokens")) return { input_tokens: TOKENS.input };
  if (path.endsWith(":countTokens")) return { totalTokens: TOKENS.input };
  if (path.endsWith("/models")) return MODEL_LIST;
  return null;
}
