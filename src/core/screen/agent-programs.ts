/** Which agent a process is, from its program's name and its arguments. */

/** The agents whose screens can be read. */
export const SCREEN_AGENTS = [
  "claude",
  "codex",
  "gemini",
  "opencode",
  "kilo",
  "copilot",
  "qwen",
  "pi",
  "kimi",
  "cn",
  "grok",
  "nanocoder",
] as const;
export type ScreenAgent = (typeof SCREEN_AGENTS)[number];

/** Agents that are only known by name: of their screens nothing but a plain dialog is read. */
export const OTHER_AGENTS = ["amp", "auggie", "cline", "crush", "droid", "open-codex"] as const;
export type AgentProgram = ScreenAgent | (typeof OTHER_AGENTS)[number];

/** The names that an agent's program, or the script that launches it, can have. */
const PROGRAMS: ReadonlyMap<string, AgentProgram> = new Map<string, AgentProgram>([
  ["claude", "claude"],
  ["codex", "codex"],
  ["gemini", "gemini"],
  ["opencode", "opencode"],
  ["kilo", "kilo"],
  ["kilocode", "kilo"],
  ["copilot", "copilot"],
  ["qwen", "qwen"],
  ["pi", "pi"],
  ["kimi", "kimi"],
  ["cn", "cn"],
  ["grok", "grok"],
  ["nanocoder", "nanocoder"],
  ["amp", "amp"],
  ["auggie", "auggie"],
  ["cline", "cline"],
  ["crush", "crush"],
  ["droid", "droid"],
  ["open-codex", "open-codex"],
]);

/** Launchers are scripts with names like `cli.js`; the package they are in tells whose they are. */
const PACKAGES: ReadonlyMap<string, AgentProgram> = new Map<string, AgentProgram>([
  ["@anthropic-ai/claude-code", "claude"],
  ["@openai/codex", "codex"],
  ["@google/gemini-cli", "gemini"],
  ["opencode-ai", "opencode"],
  ["@kilocode/cli", "kilo"],
  ["@github/copilot", "copilot"],
  ["@qwen-code/qwen-code", "qwen"],
  ["@mariozechner/pi-coding-agent", "pi"],
  ["@earendil-works/pi-coding-agent", "pi"],
  ["@moonshot-ai/kimi-code", "kimi"],
  ["@continuedev/cli", "cn"],
  ["@vibe-kit/grok-cli", "grok"],
  ["@nanocollective/nanocoder", "nanocoder"],
  ["@sourcegraph/amp", "amp"],
  ["@ampcode/cli", "amp"],
  ["@augmentcode/auggie", "auggie"],
  ["cline", "cline"],
  ["@charmland/crush", "crush"],
  ["droid", "droid"],
  ["@factory/cli", "droid"],
  ["open-codex", "open-codex"],
]);

const INTERPRETERS: ReadonlySet<string> = new Set([
  "node",
  "nodejs",
  "node-mainthread",
  "mainthread",
  "bun",
  "deno",
]);

const SHELLS: ReadonlySet<string> = new Set([
  ...[
    "sh",
    "bash",
    "zsh",
    "fish",
    "dash",
    "ash",
    "ksh",
    "mksh",
    "csh",
    "tcsh",
    "nu",
    "pwsh",
    "elvish",
    "xonsh",
  ],
]);

/**
 * `command` is the program's name or path, `args` what follows it. An agent that is a script is recognised by the
 * script that node or bun runs.
 */
export function agentOf(command: string, args: readonly string[]): AgentProgram | null {
  const program = programName(command);
  const named = PROGRAMS.get(program) ?? packageOf(command);
  if (named !== null) return named;
  if (!INTERPRETERS.has(program)) return null;
  // Some callers know a process only by the name that it gave itself, and then have its program among the arguments.
  const words = INTERPRETERS.has(programName(args[0] ?? "")) ? args.slice(1) : args;
  const script = scriptOf(words);
  return PROGRAMS.get(programName(script)) ?? packageOf(script);
}

/** Whether a program is a shell at whose prompt a person types commands. */
export function isShell(command: string): boolean {
  return SHELLS.has(programName(command));
}

/** The first argument that is no option of the interpreter: the script that it runs. */
function scriptOf(words: readonly string[]): string {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (OPTIONS_WITH_VALUE.has(word)) at += 1;
    else if (word !== "run" && !word.startsWith("-")) return word;
  }
  return "";
}

const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  "-r",
  "--require",
  "--import",
  "--loader",
  "-C",
  "--env-file",
]);

function packageOf(path: string): AgentProgram | null {
  const folders = path.replaceAll("\\", "/");
  for (const [name, agent] of PACKAGES) {
    if (folders.includes(`node_modules/${name}/`)) return agent;
  }
  return null;
}

/** Without folders, without the ending of a script or program, without the dash of a login shell. */
function programName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return file
    .replace(/^-/, "")
    .replace(/\.(?:exe|cmd|js|mjs|cjs|ts)$/i, "")
    .toLowerCase();
}
