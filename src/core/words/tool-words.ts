/** A tool call in a line: `Running npm test`, `Reading src/add.ts`. */

const LENGTH_MAX = 160;
/** Arguments are looked at up to here: what says most stands near the beginning. */
const ARGS_LENGTH_MAX = 20_000;

/** The fields of an input that say most, best first. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "absolute_path",
  "path",
  "url",
  "query",
  "pattern",
  "question",
  "description",
  "prompt",
];

const COMMANDS = new Set(["command", "cmd"]);

/** What a tool does, by what the known agents call theirs. Some give a call's whole title as its name: that stays. */
const TITLES: readonly (readonly [RegExp, string])[] = [
  [
    /^(bash|zsh|shell|exec|terminal|command|(local_?|unified_?)(shell|exec)(_?call)?|(run|execute|exec)_?(shell_?|terminal_?)?(command|cmd)|command_?execution|run_?in_?terminal)$/,
    "Run a command",
  ],
  [/^(read|view|cat|open)(_?(many_?)?files?)?$/, "Read a file"],
  [/^(write(_?(to_?)?file)?|create_?file)$/, "Write a file"],
  [
    /^((multi_?|notebook_?)?edit(_?file|_?notebook)?|str_?replace(_?editor|_?based_?edit_?tool)?|apply_?(diff|patch)|file_?change|patch)$/,
    "Edit a file",
  ],
  [/^(rip)?grep$|^(codebase_?search|search_?(files?|file_?content))$/, "Search files"],
  [/^(glob|ls|list(_?(files|directory|dir))?|find_?files)$/, "List files"],
  [/^(google_?)?web_?search$/, "Search the web"],
  [/^(web_?)?fetch$/, "Fetch a page"],
  [/^(task|agent|new_?task)$/, "Start a subagent"],
  [/^(todo_?write|write_?todos|update_?(plan|todo_?list))$/, "Update the plan"],
  [/^(ask_?user(_?question)?|ask_?followup_?question)$/, "Ask a question"],
  [/^load_?skill$/, "Load a skill"],
  [/^search_?history$/, "Search the history"],
];

/** By what the tools of the known agents are called. The first that fits. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [/^(read|view|cat|open)/, "Reading"],
  [
    /^(edit|multiedit|write|create_?file|str_?replace|apply_?(diff|patch)|file_?change|insert|patch)/,
    "Editing",
  ],
  [/^(grep|glob|search|find|codebase_?search|list|ls)/, "Searching"],
  [/^(web_?search|google)/, "Searching the web for"],
  [/^(web_?fetch|fetch|browse)/, "Fetching"],
];

/** A tool in words: "Run a command". What nobody has words for keeps its name. */
export function toolTitle(name: string): string {
  const called = oneLine(name);
  if (called === "") return "Use a tool";
  return TITLES.find(([pattern]) => pattern.test(called.toLowerCase()))?.[1] ?? called;
}

/** What a call is about, in one line: its command, its file, its question; empty when nothing says so. */
export function toolSubject(input: unknown): string {
  return telling(parsed(input)).text;
}

/** Which call it is, whether it runs, ran or never will: its command, or its name and what it is about. */
export function toolLabel(name: string, input: unknown): string {
  const { field, text } = telling(parsed(input));
  if (text !== "" && COMMANDS.has(field)) return text;
  const title = toolTitle(name);
  return clipped(text === "" || text === title ? title : `${title}: ${text}`);
}

/** What a call does, for as long as it does it. */
export function toolWords(name: string, input: unknown): string {
  const { field, text } = telling(parsed(input));
  if (COMMANDS.has(field)) return clipped(`Running ${text}`);
  const called = oneLine(name);
  if (called === "") return text === "" ? "Running a tool" : clipped(`Running ${text}`);
  if (text === "" && toolTitle(called) === "Run a command") return "Running a command";
  const verb = VERBS.find(([pattern]) => pattern.test(called.toLowerCase()))?.[1];
  // Some agents give a call's whole title as its name.
  if (verb === undefined || text === "") return clipped(`Running ${called}${text === "" ? "" : `: ${text}`}`);
  return clipped(`${verb} ${text}`);
}

interface Telling {
  readonly field: string;
  readonly text: string;
}

function telling(input: unknown): Telling {
  if (typeof input === "string") return { field: "", text: oneLine(input) };
  if (typeof input !== "object" || input === null) return { field: "", text: "" };
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const field of TELLING) {
    const text = wordsIn(fields.get(field));
    if (text !== "") return { field, text };
  }
  const first = [...fields.values()].find((value) => typeof value === "string" && value.trim() !== "");
  return { field: "", text: typeof first === "string" ? oneLine(first) : "" };
}

/** A command may be a list of words, of which a shell's script is the one to be shown. */
function wordsIn(value: unknown): string {
  if (typeof value === "string") return oneLine(value);
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return "";
  const [program = "", flag = "", script] = value;
  const isScript = /(^|\/)(ba|z|da)?sh$/.test(program) && /^-\w*c$/.test(flag) && script !== undefined;
  return oneLine(isScript ? script : value.join(" "));
}

/** Arguments come as the text of a JSON value, of which there may be only the beginning. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  const text = input.trim();
  if (!text.startsWith("{") || text.length > ARGS_LENGTH_MAX) return text.startsWith("{") ? null : input;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return clipped(
    text
      .slice(0, 4 * LENGTH_MAX)
      .trim()
      .replaceAll(/\s+/g, " "),
  );
}

function clipped(text: string): string {
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX - 1)}…`;
}
