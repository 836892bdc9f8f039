/** Every decision of the turn: a row for each event, a column for each kind of state, a rule in each cell. */
import type { Table } from "../table.js";
import type { TurnRows } from "./events.js";
import * as request from "./request-rules.js";
import { ignore, reject, type TurnRule } from "./rule.js";
import type { TURN_COLUMNS } from "./state.js";
import * as stream from "./stream-rules.js";
import * as tool from "./tool-rules.js";

export const TURN_RULES = {
  reject,
  ignore,
  startTurn: request.startTurn,
  queueMessage: request.queueMessage,
  leave: request.leave,
  dropConfirmation: request.dropConfirmation,
  cancelTurn: request.cancelTurn,
  runCommand: request.runCommand,
  confirmCommand: request.confirmCommand,
  insertCommand: request.insertCommand,
  retry: request.retry,
  interruptTools: request.interruptTools,
  newSession: request.newSession,
  answerSlash: request.answerSlash,
  choosePermission: request.choosePermission,
  loadSkill: request.loadSkill,
  startSkill: request.startSkill,
  queueSkill: request.queueSkill,
  tellSkillFailed: request.tellSkillFailed,
  startStreaming: stream.startStreaming,
  addText: stream.addText,
  showStatus: stream.showStatus,
  callTool: stream.callTool,
  takeServerResult: stream.takeServerResult,
  suggest: stream.suggest,
  endStream: stream.endStream,
  keepSession: stream.keepSession,
  failTurn: stream.failTurn,
  resolvePermission: tool.resolvePermission,
  finishTool: tool.finishTool,
  timeOutTool: tool.timeOutTool,
  showPreview: tool.showPreview,
  expireConfirmation: tool.expireConfirmation,
} as const satisfies Readonly<Record<string, TurnRule<never>>>;

// prettier-ignore
export const TURN_TABLE = {
  //                           idle               confirming            connecting           streaming            done                 error
  user_submit:               ["startTurn",       "startTurn",          "queueMessage",      "queueMessage",      "queueMessage",      "startTurn"],
  cancel:                    ["leave",           "dropConfirmation",   "cancelTurn",        "cancelTurn",        "cancelTurn",        "leave"],
  execute_command:           ["runCommand",      "confirmCommand",     "reject",            "reject",            "reject",            "reject"],
  insert_command:            ["insertCommand",   "insertCommand",      "reject",            "reject",            "reject",            "reject"],
  retry:                     ["reject",          "reject",             "reject",            "reject",            "reject",            "retry"],
  interrupt_tools:           ["reject",          "reject",             "interruptTools",    "interruptTools",    "interruptTools",    "reject"],
  new_session:               ["newSession",      "newSession",         "reject",            "reject",            "reject",            "reject"],
  slash_command:             ["answerSlash",     "answerSlash",        "answerSlash",       "answerSlash",       "answerSlash",       "answerSlash"],
  request_skill_load:        ["loadSkill",       "loadSkill",          "loadSkill",         "loadSkill",         "loadSkill",         "loadSkill"],
  permission_user_choice:    ["reject",          "reject",             "choosePermission",  "choosePermission",  "choosePermission",  "reject"],
  stream_started:            ["ignore",          "ignore",             "startStreaming",    "ignore",            "ignore",            "ignore"],
  stream_chunk:              ["ignore",          "ignore",             "ignore",            "addText",           "ignore",            "ignore"],
  stream_status_changed:     ["ignore",          "ignore",             "ignore",            "showStatus",        "ignore",            "ignore"],
  stream_tool_call:          ["ignore",          "ignore",             "callTool",          "callTool",          "callTool",          "ignore"],
  stream_server_tool_result: ["ignore",          "ignore",             "ignore",            "takeServerResult",  "ignore",            "ignore"],
  suggest_command:           ["ignore",          "ignore",             "suggest",           "suggest",           "suggest",           "ignore"],
  stream_done:               ["keepSession",     "keepSession",        "endStream",         "endStream",         "endStream",         "keepSession"],
  stream_error:              ["ignore",          "ignore",             "failTurn",          "failTurn",          "failTurn",          "ignore"],
  permission_resolved:       ["ignore",          "ignore",             "resolvePermission", "resolvePermission", "resolvePermission", "ignore"],
  tool_execution_done:       ["ignore",          "ignore",             "finishTool",        "finishTool",        "finishTool",        "ignore"],
  tool_preview_update:       ["ignore",          "ignore",             "showPreview",       "showPreview",       "showPreview",       "ignore"],
  confirmation_timeout:      ["ignore",          "expireConfirmation", "ignore",            "ignore",            "ignore",            "ignore"],
  tool_execution_timeout:    ["ignore",          "ignore",             "timeOutTool",       "timeOutTool",       "timeOutTool",       "ignore"],
  skill_loaded:              ["startSkill",      "startSkill",         "queueSkill",        "queueSkill",        "queueSkill",        "startSkill"],
  skill_load_failed:         ["tellSkillFailed", "tellSkillFailed",    "tellSkillFailed",   "tellSkillFailed",   "tellSkillFailed",   "tellSkillFailed"],
} as const satisfies Table<TurnRows, typeof TURN_COLUMNS, typeof TURN_RULES>;
