/** Claude Code's hooks: how it is started with them, and what they write. */
import { z } from "zod";
import { parseJson } from "../kit/json.js";

const HOOKS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "Stop",
  "StopFailure",
  "SubagentStop",
  "SessionEnd",
] as const;

/**
 * Appends what a hook is given as one line, in one write: hooks run at the same time, and a write to the end of a file is
 * whole. `tr` and `echo` write as they like; `dd` gathers. Whatever happens, the hook says nothing and succeeds: it must
 * not hold up the agent, nor stand in its conversation.
 */
const APPEND = `{ tr -d '\\n'; echo; } | dd obs=8388608 2>/dev/null >> "$SIGNALBOX_HOOKS_FILE"; :`;
const TIMEOUT_S = 10;

/** Ways to start it in which it is not a program to talk to, or which have no use for these options. */
const SUBCOMMANDS: ReadonlySet<string> = new Set([
  "agents",
  "auth",
  "config",
  "doctor",
  "install",
  "mcp",
  "migrate-installer",
  "plugin",
  "plugins",
  "setup-token",
  "update",
  "upgrade",
]);
const OWN_MODE: ReadonlySet<string> = new Set([
  "--permission-mode",
  "--dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions",
]);
const OWN_CONVERSATION: ReadonlySet<string> = new Set(["--resume", "-r", "--continue", "-c", "--session-id"]);

/**
 * The arguments that make it tell us what it does, for this session only: no file of the person's is touched. Where the
 * person gave settings of their own, theirs stand, and the screen has to tell.
 */
export function claudeArgs(
  args: readonly string[],
  resume: string | null,
): { readonly args: readonly string[]; readonly hooks: boolean } {
  if (SUBCOMMANDS.has(args[0] ?? "") || args.includes("-p") || args.includes("--print"))
    return { args, hooks: false };
  const names = new Set(args.map((arg) => arg.split("=")[0] ?? ""));
  const hooks = !names.has("--settings");
  const added = [
    ...(hooks ? ["--settings", SETTINGS] : []),
    ...(isDisjoint(names, OWN_MODE) ? ["--permission-mode", "default"] : []),
    ...(resume !== null && isDisjoint(names, OWN_CONVERSATION) ? ["--resume", resume] : []),
  ];
  return { args: [...added, ...args], hooks };
}

const SETTINGS = JSON.stringify({
  hooks: Object.fromEntries(
    HOOKS.map((name) => [name, [{ hooks: [{ type: "command", command: APPEND, timeout: TIMEOUT_S }] }]]),
  ),
});

function isDisjoint(names: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return ![...others].some((name) => names.has(name));
}

const optionalText = z.string().optional().catch(undefined);

/** Only what is used of it, and anything else as it comes: newer versions say more. */
const hookSchema = z.object({
  hook_event_name: z.string(),
  session_id: optionalText,
  prompt_id: optionalText,
  tool_name: optionalText,
  tool_input: z.json().optional().catch(undefined),
  tool_use_id: optionalText,
  notification_type: optionalText,
  background_tasks: z.array(z.unknown()).optional().catch(undefined),
  last_assistant_message: optionalText,
});
export type ClaudeHook = z.infer<typeof hookSchema>;

/** Null: no hook wrote this. */
export function parseHook(line: string): ClaudeHook | null {
  return hookSchema.safeParse(parseJson(line)).data ?? null;
}
