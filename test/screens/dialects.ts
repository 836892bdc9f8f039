/** How each agent is spoken to, and by which words it is seen to have come somewhere. */
import type { ScreenAgent } from "../../src/core/index.js";

export interface Dialect {
  /** Stands on the screen when it has started. */
  readonly ready: RegExp;
  /** Asks whether the folder is trusted, before it starts. */
  readonly trust?: { readonly seen: RegExp; readonly yes: readonly string[] };
  readonly permission: RegExp;
  readonly editPermission: RegExp;
  /** Its way to ask a person something, as a directive for the model server. */
  readonly question?: { readonly directive: string; readonly seen: RegExp };
  /** Makes the model server ask for a shell command that needs a person. */
  readonly shell: (command: string) => string;
  /** One key press each. */
  readonly interrupt: readonly string[];
  /** Approves in any dialog, for as long as no rule names the key. */
  readonly approve: string;
  /** Keeps what was typed while it works for later. */
  readonly queue: string;
  /** Opens a menu in which a person chooses. */
  readonly menu?: { readonly command: string; readonly seen: RegExp };
  readonly exit: readonly string[];
}

const ESC = "\x1b";
const DOWN = "\x1b[B";
const ENTER = "\r";

const COLOURS = [
  { label: "Red", description: "r" },
  { label: "Blue", description: "b" },
];

const plainShell = (command: string) => `[[shell:${command}]]`;

function asks(tool: string, question: object): string {
  const asked = { question: "Which colour?", header: "Colour", options: COLOURS, ...question };
  return `[[tool:${tool}=${JSON.stringify({ questions: [asked] })}]]`;
}

const OPEN_CODE: Dialect = {
  ready: /Ask anything/,
  permission: /Permission required[^]*# /,
  editPermission: /Permission required[^]*Edit/,
  question: { directive: asks("question", {}), seen: /1\. Red/ },
  shell: plainShell,
  interrupt: [ESC, ESC],
  approve: ENTER,
  queue: ENTER,
  menu: { command: "/models", seen: /Select model/ },
  exit: ["/exit", ENTER],
};

export const DIALECTS: Readonly<Record<ScreenAgent, Dialect>> = {
  claude: {
    ready: /\? for shortcuts|manual mode on/,
    trust: { seen: /Yes, I trust this folder/, yes: [DOWN, ENTER] },
    permission: /Do you want to proceed\?/,
    editPermission: /Do you want to create/,
    question: { directive: asks("AskUserQuestion", { multiSelect: false }), seen: /1\. Red/ },
    shell: plainShell,
    interrupt: [ESC],
    approve: "1",
    queue: ENTER,
    menu: { command: "/model", seen: /Select model/ },
    exit: ["/exit", ENTER],
  },
  codex: {
    ready: /Ask Codex to do anything/,
    permission: /Would you like to run the following command\?/,
    editPermission: /Would you like to make the following edits\?/,
    shell: (command) =>
      `[[tool:exec_command=${JSON.stringify({
        cmd: command,
        sandbox_permissions: "require_escalated",
        justification: "need it",
      })}]]`,
    interrupt: [ESC],
    approve: "y",
    queue: "\t",
    menu: { command: "/permissions", seen: /Press enter to confirm/i },
    exit: ["/quit", ENTER],
  },
  gemini: {
    ready: /Type your message/,
    permission: /Allow execution of/,
    editPermission: /Apply this change\?/,
    question: { directive: asks("ask_user", { type: "choice" }), seen: /1\. Red/ },
    shell: plainShell,
    interrupt: [ESC],
    approve: "1",
    queue: ENTER,
    menu: { command: "/theme", seen: /Select Theme/i },
    exit: ["/quit", ENTER],
  },
  opencode: OPEN_CODE,
  kilo: OPEN_CODE,
  copilot: {
    ready: /\n❯[^]*fake-model/,
    trust: { seen: /Do you trust the files in this folder/, yes: ["1"] },
    permission: /Do you want to run this command\?/,
    editPermission: /Do you want to (?:create|edit|write)/,
    question: {
      directive: `[[tool:ask_user=${JSON.stringify({ question: "Which colour?", choices: ["Red", "Blue"] })}]]`,
      seen: /Red[^]*Blue/,
    },
    shell: plainShell,
    interrupt: [ESC, ESC],
    approve: "1",
    queue: ENTER,
    menu: { command: "/theme", seen: /theme/i },
    exit: ["/exit", ENTER],
  },
  qwen: {
    ready: /Type your message/,
    permission: /Allow execution of/,
    editPermission: /Apply this change\?/,
    question: { directive: asks("ask_user_question", { multiSelect: false }), seen: /1\. Red/ },
    shell: plainShell,
    interrupt: [ESC],
    approve: "1",
    queue: ENTER,
    menu: { command: "/theme", seen: /Select Theme/i },
    exit: ["/quit", ENTER],
  },
};
