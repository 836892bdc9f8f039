/** `signalbox/core`: the pure machines, for anyone who builds their own. */
export type { Json } from "./schema.js";
export type { Refusal, Result, Step } from "./step.js";
export type { StreamEvent, StreamEventType } from "./stream-event.js";
export { STREAM_EVENT_TYPES, streamEventShape } from "./stream-event.js";
export type { Cell, CellDescription, Machine, RowDescription, TableDescription } from "./table.js";
export { MACHINES } from "./machines.js";
export { drawMermaid } from "./mermaid.js";

export { sessionMachine, transition as transitionSession } from "./session/session-machine.js";
export { APPROVALS, initialSession, isResting, messageLine, openStream } from "./session/state.js";
export type {
  Approve,
  AgentInFront,
  Ask,
  Ending,
  Phase,
  SessionError,
  SessionState,
  Status,
} from "./session/state.js";
export type { SessionEvent, SessionFact, SessionRequest } from "./session/events.js";
export type { NotifyReason, SessionEffect } from "./session/effects.js";
export { deriveUi, type UiState } from "./session/derive-ui.js";
export { questionOf } from "./session/question-of.js";
export { reconstruct, type LastAsk, type Observed } from "./session/reconstruct.js";
export { deriveStateEvents, type DerivedStateEvent } from "./session/state-events.js";

export { transition as transitionTurn, turnMachine } from "./turn/turn-machine.js";
export { initialTurn } from "./turn/state.js";
export type { TurnState } from "./turn/state.js";
export type { TurnEvent } from "./turn/events.js";
export type { Entry, TurnEffect } from "./turn/effects.js";

export { rosterMachine, transition as transitionRoster } from "./roster/roster-machine.js";
export { EMPTY_ROSTER } from "./roster/state.js";
export type { RosterState, Seat, SeatStatus } from "./roster/state.js";
export type { RosterEvent } from "./roster/events.js";
export type { RosterEffect } from "./roster/effects.js";
export { route, type Destination, type Route } from "./roster/route.js";

export { agentName } from "./words/agent-names.js";
export { askWords, type AskWords } from "./words/ask-words.js";
export {
  doingAfter,
  doingAfterState,
  doingWords,
  NOT_DOING,
  type Doing,
  type DoingState,
  type LastActivity,
} from "./words/doing.js";
export { exitReason } from "./words/exit-reason.js";
export { wordsForFailure, type FailureWords } from "./words/failure-words.js";
export {
  ACTION_WORDS,
  NOT_KNOWN_WORD,
  provenWord,
  shownWord,
  STATUS_WORDS,
  statusCalled,
  type ShownStatus,
} from "./words/status-words.js";
export { toolLabel, toolSubject, toolTitle, toolWords } from "./words/tool-words.js";

export { extendThread, reduceThread, threadFrom } from "./thread/reduce-thread.js";
export { EMPTY_THREAD, itemKey, type Item, type Thread } from "./thread/thread.js";
export { PAYLOADS, type Payload } from "./thread/payloads.js";

export { CATEGORIES, type Access, type AskedTool, type Category } from "./permissions/access.js";
export type { Decision, Verdict } from "./permissions/access.js";
export { builtinRules, builtinWriteDeny, PROJECT_READ } from "./permissions/builtin-rules.js";
export { decide, type RuleFlaw } from "./permissions/decide.js";
export type {
  FileAccess,
  ResolvedAccess,
  ResolvedShellFile,
  ResolvedShellHost,
  ShellAccess,
  WebAccess,
} from "./permissions/resolved-access.js";
export { parseRule, type ParsedRule, type Rule, type RuleOrigin } from "./permissions/rule.js";
export type {
  Hint,
  ShellAnalysis,
  ShellFile,
  ShellHost,
  SimpleCommand,
} from "./permissions/shell-analysis.js";
export { suggestRules } from "./permissions/suggest-rule.js";

export { ACTIVITIES, type Activity, type ScreenChoice, type ScreenReading } from "./screen/reading.js";
export type { Screen, Span } from "./screen/screen.js";
export { isPossible, isPromptOf, type Asked, type PromptWords } from "./terminal/asked-prompt.js";
export { terminalMachine, transition as transitionTerminal } from "./terminal/terminal-machine.js";
export { initialTerminal } from "./terminal/state.js";
export type { TerminalActivity, TerminalState, ToldRequest } from "./terminal/state.js";
export type { TerminalEvent } from "./terminal/events.js";
export type { TerminalEffect, TerminalFact } from "./terminal/effects.js";
export {
  addresseeOf,
  frontProgram,
  interruptKeys,
  isInteractiveShell,
  isSameProgram,
  launchedProgram,
  type Addressee,
  type FrontProcess,
  type Program,
} from "./terminal/program.js";
export { showsSameWork } from "./screen/moving-parts.js";
export { screenOf, type ShownTerminal } from "./screen/screen-of.js";
export { readScreen } from "./screen/read-screen.js";
export { sawGoodbye } from "./screen/goodbye.js";
export {
  agentOf,
  isShell,
  OTHER_AGENTS,
  SCREEN_AGENTS,
  type AgentProgram,
  type ScreenAgent,
} from "./screen/agent-programs.js";

export { workspaceMachine, transition as transitionWorkspace } from "./workspace/workspace-machine.js";
export {
  WORKSPACE_STATUSES,
  INITIAL_WORKSPACE,
  type Observation,
  type WorkspaceState,
  type WorkspaceStatus,
} from "./workspace/state.js";
export type { WorkspaceEvent } from "./workspace/events.js";
export type { WorkspaceEffect, WorkspaceRefusalCode } from "./workspace/effects.js";
