import { harnessNamed } from "../../../harness/registry.js";
import { CONTROL_KINDS, type Controls, type ControlWish, NO_CONTROLS } from "../../../protocol/controls.js";
import type { Board } from "../board.js";
import type { Handler } from "../call-handler.js";
import { flawed, sessionNotFound, type Failure } from "../problem.js";

export const getControls: Handler<"getControls"> = ({ params }, { board }) => controlsOf(params.id, board);

export const setControls: Handler<"setControls"> = async ({ params, body, receipt, caller }, { board }) => {
  const { model, mode, effort } = body;
  const wish: ControlWish = {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(effort === undefined ? {} : { effort }),
  };
  if (CONTROL_KINDS.every((kind) => wish[kind] === undefined))
    return flawed("model", "A model, a mode or an effort is needed");
  const answer = await board.submit(
    { type: "control", sessionId: params.id, wish },
    receipt,
    caller.principal,
  );
  return answer.ok ? controlsOf(params.id, board) : answer;
};

function controlsOf(
  sessionId: string,
  board: Board,
): { readonly ok: true; readonly value: Controls } | Failure {
  const record = board.session(sessionId);
  if (!record) return sessionNotFound(sessionId);
  const harness = harnessNamed(record.settings.harness);
  const { codec } = record.progress;
  return { ok: true, value: (codec === null ? undefined : harness.controls?.(codec)) ?? NO_CONTROLS };
}
