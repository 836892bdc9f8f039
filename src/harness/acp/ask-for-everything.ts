import type { Environment } from "./acp-agents.js";

type Fields = Readonly<Record<string, unknown>>;

/** Fits every tool, as `*` does; but `*` may stand in a person's own file, and must not be replaced there. */
const EVERYTHING = "**";

/**
 * Makes OpenCode, and what is made from it, ask about every call that a person's own configuration says nothing of.
 *
 * The last rule that fits decides there, and variables are read after every file: a plain "ask for everything" would undo
 * what a person forbids. So `tools`, from which it makes the first rules of all, gives `**` its place before them, and the
 * permission gives it its value. A list of things to do harms nobody and is not asked about.
 *
 * Over ACP, nobody hears what a subagent asks, nor a question to the person: the agent would wait for ever. So both are
 * forbidden, whoever allows them.
 */
export function askForEverything(prefix: string, inherited: Environment): Readonly<Record<string, string>> {
  const [configName, permissionName] = [`${prefix}_CONFIG_CONTENT`, `${prefix}_PERMISSION`];
  const config = parsed(inherited[configName]);
  const permission = parsed(inherited[permissionName]);
  const tools = { [EVERYTHING]: true, todowrite: true, todoread: true, ...fieldsOf(config?.["tools"]) };
  return {
    // What we cannot read may be more than JSON: it is left as it is.
    ...(config && { [configName]: JSON.stringify({ ...config, tools }) }),
    [permissionName]: JSON.stringify({
      [EVERYTHING]: "ask",
      ...permission,
      task: "deny",
      question: "deny",
      suggest: "deny",
    }),
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Null for what cannot be read as JSON. */
function parsed(text: string | undefined): Fields | null {
  if (text === undefined) return {};
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
