/** How each agent is spoken to, and by which words it is seen to have come somewhere. */
import type { ScreenAgent } from "../../src/core/index.js";

export interface Dialect {
  /** Stands on the screen when it has started. */
  readonly ready: RegExp;
  /** Asks whether the folder is trusted, before it starts. */
  readonly trust?: RegExp;
  /** Some versions do, and some do not. */
  readonly mayTrust?: RegExp;
  /** Absent: it never asks before it does something. */
  readonly permission?: RegExp;
  readonly editPermission?: RegExp;
  /** Its way to ask a person something, as a directive for the model server. */
  readonly question?: { readonly directive: string; readonly several?: string; readonly seen: RegExp };
  /** Makes the model server ask for a shell command that needs a person. */
  readonly shell: (command: string) => string;
  /** Makes it ask for a change of the file `new.txt`. */
  readonly edit: string;
  /** Its tools take only absolute paths, and its prompt does not say where it is. */
  readonly editsByPath?: true;
  /** Its list of commands lies over what tells whether it works. */
  readonly listCovers?: true;
  /** It answers the output of a command that a person runs with `!`. */
  readonly answersByHand?: true;
  /** Shift+Tab changes how much it may do without asking. */
  readonly hasModes?: true;
  /** One key press each. */
  readonly interrupt: readonly string[];
  /** Keeps what was typed while it works for later. Absent: it would begin another turn beside the one that runs. */
  readonly queue?: string;
  /** Opens a menu in which a person chooses. */
  readonly menu?: { readonly command: string; readonly seen: RegExp };
  /** What its mode for plans, among those that Shift+Tab goes through, says of itself; and its way to have one agreed to. */
  readonly plan?: { readonly mode: RegExp; readonly directive: string; readonly seen: RegExp };
  readonly exit: readonly string[];
  /** A text of several lines breaks what it draws: its lines stand beside each other, without a cursor. */
  readonly pasteBreaks?: true;
  /** A model that is out of order for a while makes it fail within seconds. */
  readonly givesUpSoon?: true;
  /** Empties its input box; Ctrl+U unless it says otherwise. */
  readonly clear?: readonly string[];
  /** It does not ask for bracketed pastes, and mixes up keys that come fast: what it is told comes in one piece. */
  readonly takesWhole?: true;
  /** It says nothing when it ends. */
  readonly leavesSilently?: true;
}

const ESC = "\x1b";
const ENTER = "\r";

const COLOURS = [
  { label: "Red", description: "r" },
  { label: "Blue", description: "b" },
];

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+line one\n*** End Patch\n";
const SIZES = [
  { label: "Small", description: "up to ten" },
  { label: "Large", description: "more than ten, as far as it goes, and that can be rather far" },
];

const PLAN = "# The plan\n\n1. Look at it\n2. Change it\n3. Test it";
const EDIT = "[[write:new.txt=line one]]";

const plainShell = (command: string) => `[[shell:${command}]]`;

function asks(tool: string, more: object): NonNullable<Dialect["question"]> {
  const colour = { question: "Which colour?", header: "Colour", options: COLOURS, ...more };
  const sizes = { question: "Which sizes?", header: "Sizes", options: SIZES, ...more };
  const call = (...questions: readonly object[]) => {
    const named = questions.map((each, at) =>
      tool === "request_user_input" ? { id: `q${at}`, ...each } : each,
    );
    return `[[tool:${tool}=${JSON.stringify({ questions: named })}]]`;
  };
  return { directive: call(colour), several: call(colour, sizes), seen: /1\. +Red/ };
}

const OPEN_CODE: Dialect = {
  ready: /Ask anything/,
  permission: /Permission required[^]*# /,
  editPermission: /Permission required[^]*Edit/,
  question: asks("question", {}),
  shell: plainShell,
  edit: EDIT,
  interrupt: [ESC, ESC],
  queue: ENTER,
  menu: { command: "/models", seen: /Select model/ },
  exit: ["/exit", ENTER],
};

export const DIALECTS: Readonly<Record<ScreenAgent, Dialect>> = {
  claude: {
    ready: /\? for shortcuts|manual mode on/,
    trust: /Yes, I trust this folder/,
    permission: /Do you want to proceed\?/,
    editPermission: /Do you want to create/,
    question: asks("AskUserQuestion", { multiSelect: false }),
    shell: plainShell,
    edit: EDIT,
    hasModes: true,
    answersByHand: true,
    listCovers: true,
    interrupt: [ESC],
    queue: ENTER,
    menu: { command: "/model", seen: /Select model/ },
    plan: {
      mode: /plan mode on/,
      directive: `[[tool:ExitPlanMode=${JSON.stringify({ plan: PLAN })}]]`,
      seen: /Would you like to proceed/,
    },
    exit: ["/exit", ENTER],
  },
  codex: {
    ready: /^ {2}\S.* · ~\/proj/m,
    mayTrust: /Yes, continue/,
    permission: /Would you like to run the following command\?/,
    editPermission: /Would you like to make the following edits\?/,
    shell: (command) =>
      `[[tool:exec_command=${JSON.stringify({
        cmd: command,
        sandbox_permissions: "require_escalated",
        justification: "need it",
      })}]]`,
    question: asks("request_user_input", {}),
    edit: `[[tool:exec_command=${JSON.stringify({ cmd: `apply_patch <<'EOF'\n${PATCH}EOF\n` })}]]`,
    interrupt: [ESC],
    queue: "\t",
    menu: { command: "/permissions", seen: /Press enter to confirm/i },
    exit: ["/quit", ENTER],
  },
  gemini: {
    ready: /Type your message/,
    trust: /Do you trust /,
    permission: /Allow execution of/,
    editPermission: /Apply this change\?/,
    question: asks("ask_user", { type: "choice" }),
    shell: plainShell,
    edit: EDIT,
    hasModes: true,
    interrupt: [ESC],
    queue: ENTER,
    menu: { command: "/theme", seen: /Select Theme/i },
    exit: ["/quit", ENTER],
  },
  opencode: OPEN_CODE,
  kilo: OPEN_CODE,
  copilot: {
    ready: /\n❯[^]*fake-model/,
    trust: /Do you trust the files in this folder/,
    permission: /Do you want to run this command\?/,
    editPermission: /Do you want to (?:create|edit|write)/,
    question: {
      directive: `[[tool:ask_user=${JSON.stringify({
        message: "Which colour?",
        requestedSchema: {
          properties: { colour: { type: "string", title: "Colour", enum: ["Red", "Blue"] } },
        },
      })}]]`,
      seen: /Red\s[^]*Blue\s/,
    },
    shell: plainShell,
    edit: EDIT,
    hasModes: true,
    interrupt: [ESC, ESC],
    queue: ENTER,
    menu: { command: "/theme", seen: /theme/i },
    exit: ["/exit", ENTER],
  },
  pi: {
    ready: /\d%\/\d/,
    shell: plainShell,
    edit: EDIT,
    interrupt: [ESC],
    queue: ENTER,
    menu: { command: "/model", seen: /Only showing models/ },
    exit: ["/quit", ENTER],
    leavesSilently: true,
  },
  kimi: {
    ready: /context: \d+%/,
    trust: /Trust this folder\?/,
    permission: /Run this command\?/,
    editPermission: /Reject with feedback/,
    shell: plainShell,
    edit: EDIT,
    interrupt: [ESC],
    queue: ENTER,
    exit: ["/exit", ENTER],
  },
  cn: {
    ready: /Ask anything/,
    permission: /Would you like to continue\?/,
    editPermission: /Would you like to continue\?/,
    shell: plainShell,
    edit: EDIT,
    interrupt: [ESC],
    queue: ENTER,
    menu: { command: "/model", seen: /Select Model/ },
    exit: ["/exit", ENTER],
    leavesSilently: true,
  },
  grok: {
    ready: /Ask me anything/,
    permission: /Do you want to proceed with this operation\?/,
    editPermission: /Do you want to proceed with this operation\?/,
    shell: plainShell,
    edit: EDIT,
    takesWhole: true,
    givesUpSoon: true,
    pasteBreaks: true,
    answersByHand: true,
    hasModes: true,
    interrupt: [ESC],
    menu: { command: "/models", seen: /Select Grok Model/ },
    exit: ["exit", ENTER],
    leavesSilently: true,
  },
  nanocoder: {
    ready: /What would you like me to help with\?/,
    trust: /Do you trust the files in this folder\?/,
    permission: /Do you want to execute tool/,
    editPermission: /Do you want to execute tool/,
    question: {
      directive: `[[tool:ask_user=${JSON.stringify({ question: "Which colour?", options: ["Red", "Blue"] })}]]`,
      seen: /❯ Red/,
    },
    shell: plainShell,
    edit: EDIT,
    editsByPath: true,
    takesWhole: true,
    hasModes: true,
    interrupt: [ESC],
    queue: ENTER,
    clear: [ESC, ESC],
    givesUpSoon: true,
    exit: ["/exit", ENTER],
    leavesSilently: true,
  },
  qwen: {
    ready: /Type your message/,
    trust: /Do you trust /,
    permission: /Allow execution of/,
    editPermission: /Apply this change\?/,
    question: asks("ask_user_question", { multiSelect: false }),
    shell: plainShell,
    edit: EDIT,
    editsByPath: true,
    hasModes: true,
    interrupt: [ESC],
    queue: ENTER,
    menu: { command: "/theme", seen: /Select Theme/i },
    plan: {
      mode: /plan mode/i,
      directive: `[[tool:exit_plan_mode=${JSON.stringify({ plan: PLAN })}]]`,
      seen: /keep planning/i,
    },
    exit: ["/quit", ENTER],
  },
};
