/** Who plays: each agent in each of its versions, by its protocol and in a terminal, and what each of them plays. */
import { fileURLToPath } from "node:url";
import { PROFILES } from "../matrix/profiles.js";
import { SUGGESTION } from "../model-server/reply.js";
import { VERSIONS, versionsOf, type AgentName, type AgentPackage } from "../packages.js";
import type { Role } from "./actor.js";
import {
  AFTER_FAILURE,
  APPROVAL,
  approvalAtOnce,
  backgroundScene,
  CRASH,
  FAILURE,
  ghostText,
  GIVEN_UP,
  INTERRUPTION,
  KILLED_IN_SHELL,
  LONG_THOUGHT,
  LONG_TOOL,
  OVER_GHOST_TEXT,
  PAUSES,
  QUESTION,
  RATE_LIMIT,
  SLOW_TEXT,
  startDialog,
  TEXT,
  unknownScene,
  type Scene,
} from "./scenes.js";

export interface Part {
  readonly role: Role;
  readonly scenes: readonly Scene[];
}

/** How an agent shows in its terminal what it does, for somebody who reads it. */
type AtTerminal = Required<Pick<Role, "terminal" | "asksBy" | "worksBy">> & Pick<Role, "greets">;

const CHOICE = /\d\. +crimson/;

const TERMINALS: Partial<Record<AgentName, AtTerminal>> = {
  claude: {
    terminal: ["claude", "--permission-mode", "default"],
    asksBy: { approval: /Do you want to proceed\?/, question: CHOICE },
    worksBy: /\besc to interrupt\b/,
  },
  codex: {
    terminal: ["codex"],
    asksBy: { approval: /Would you like to run/, question: CHOICE },
    worksBy: /\besc to interrupt\b/,
    greets: true,
  },
  gemini: {
    terminal: ["gemini"],
    asksBy: { approval: /Allow execution of/, question: CHOICE },
    worksBy: /\besc to cancel\b/,
  },
  opencode: {
    terminal: ["opencode"],
    asksBy: { approval: /Permission required/, question: CHOICE },
    worksBy: /\besc (?:again to )?interrupt\b/,
  },
};

/** Codex of before opens a folder that it does not trust without a question, and gives up at the first 429. */
function isCodexOfBefore(role: Pick<Role, "agent" | "package">): boolean {
  return role.agent === "codex" && role.package?.version === VERSIONS.codex.older.version;
}

/** Those whose days B9 plays. */
export const PLAYERS: readonly AgentName[] = ["claude", "codex", "gemini", "opencode"];

/** The whole programme: every version of every player; `further`: versions that are newer than the pins. */
export function programme(further: readonly AgentPackage[] = []): readonly Part[] {
  const parts = PLAYERS.flatMap((agent) => {
    const newer = further.filter((each) => each.package === VERSIONS[agent].pinned.package);
    return [...newer, ...versionsOf(agent)].flatMap((version) => partsOf(agent, version));
  });
  return [...parts, unknownPart()];
}

/** All that one version of one agent plays. */
export function partsOf(agent: AgentName, version: AgentPackage): readonly Part[] {
  const { previous, older } = VERSIONS[agent];
  const isOld = version.version === older.version;
  const isPinOrNewer = !isOld && version.version !== previous?.version;
  const structured = structuredRole(agent, version);
  const terminal = terminalRole(agent, version);
  if (!terminal) return [{ role: structured, scenes: dayOf(structured) }];
  return [
    { role: structured, scenes: dayOf(structured) },
    { role: terminal, scenes: dayOf(terminal) },
    ...(isOld ? [] : [shellPart(terminal, agent)]),
    ...(agent === "claude" ? [suggestionsPart(terminal)] : []),
    ...(agent === "claude" && isPinOrNewer ? [startDialogPart(terminal)] : []),
  ];
}

/** For CI: some of the pins only, and few scenes. */
export function quickProgramme(): readonly Part[] {
  const scenes = [TEXT, LONG_THOUGHT, APPROVAL, INTERRUPTION];
  const { claude, codex } = VERSIONS;
  const inTerminal = terminalRole("claude", claude.pinned);
  return [
    { role: structuredRole("claude", claude.pinned), scenes },
    { role: structuredRole("codex", codex.pinned), scenes },
    ...(inTerminal ? [{ role: inTerminal, scenes: [...scenes, FAILURE, AFTER_FAILURE] }] : []),
    unknownPart(),
  ];
}

function structuredRole(agent: AgentName, version: AgentPackage): Role {
  const name = `${agent} ${version.version}`;
  return { name, agent, package: version, harness: PROFILES[agent].harness };
}

function terminalRole(agent: AgentName, version: AgentPackage): Role | null {
  const shows = TERMINALS[agent];
  if (!shows) return null;
  const { greets, ...always } = shows;
  const who = { name: `${agent} ${version.version} in a terminal`, agent, package: version };
  return { ...who, harness: "terminal", ...always, ...(greets && !isCodexOfBefore(who) ? { greets } : {}) };
}

function dayOf(role: Role): readonly Scene[] {
  if (!role.agent) return [];
  const { background, cannot, shell } = PROFILES[role.agent];
  const wakes = !cannot["background work"];
  const scenes: readonly Scene[] = [
    TEXT,
    SLOW_TEXT,
    LONG_THOUGHT,
    PAUSES,
    APPROVAL,
    LONG_TOOL,
    approvalAtOnce(1),
    // OpenCode draws its dialog in several steps.
    ...(role.agent === "opencode" && role.terminal ? [approvalAtOnce(2), approvalAtOnce(3)] : []),
    // What an agent cannot ask over a protocol it can ask at its terminal.
    ...(cannot["question and answer"] && !role.terminal ? [] : [QUESTION]),
    INTERRUPTION,
    ...(wakes ? [backgroundScene(background("sleep 6; touch woken"))] : []),
    isCodexOfBefore(role) ? GIVEN_UP : RATE_LIMIT,
    FAILURE,
    AFTER_FAILURE,
    CRASH,
  ];
  return shell ? scenes.map((scene) => inWordsOf(shell, scene)) : scenes;
}

/** Some agents ask about a command only when it is given in a certain way. */
function inWordsOf(shell: (command: string) => string, scene: Scene): Scene {
  if (scene.type !== "prompted") return scene;
  const prompt = scene.prompt.replace(/\[\[shell:(.*?)\]\]/g, (_, command: string) => shell(command));
  return { ...scene, prompt };
}

/** Started by hand in a shell, and killed there. */
function shellPart(terminal: Role, agent: AgentName): Part {
  const role: Role = {
    ...terminal,
    name: `${terminal.name.replace(/ in a terminal$/, "")} in a shell`,
    terminal: ["/bin/bash", "--norc", "--noprofile"],
    typed: agent,
  };
  return { role, scenes: [TEXT, KILLED_IN_SHELL] };
}

function suggestionsPart(terminal: Role): Part {
  const role: Role = {
    ...terminal,
    name: `${terminal.name} with prompt suggestions`,
    env: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "true" },
  };
  return { role, scenes: [TEXT, SLOW_TEXT, ghostText(new RegExp(SUGGESTION)), OVER_GHOST_TEXT] };
}

const AUTO_MODE = /Make auto mode your default permission mode\?/;

function startDialogPart(terminal: Role): Part {
  const role: Role = {
    ...terminal,
    name: `${terminal.name} at its start dialog`,
    isLeftAtStart: true,
    files: { ".claude/settings.json": { permissions: { defaultMode: "default" } } },
  };
  return { role, scenes: [startDialog(AUTO_MODE, "\x1b"), TEXT] };
}

const UNKNOWN_TUI = fileURLToPath(new URL("./unknown-tui.js", import.meta.url));

function unknownPart(): Part {
  const role: Role = {
    name: "an agent that nobody knows",
    agent: null,
    package: null,
    harness: "terminal",
    terminal: [process.execPath, UNKNOWN_TUI],
    isLeftAtStart: true,
  };
  return {
    role,
    scenes: [
      unknownScene("its input box", "i", /ready when you are/, "unknowable", 8_000),
      unknownScene("its spinner", "w", /mulling it over/, "unknowable", 8_000),
      unknownScene("its menu", "m", /Do you trust this folder/, "unknowable_question", 8_000),
      unknownScene("its login prompt", "l", /Open a browser/, "unknowable_question", 25_000),
    ],
  };
}
