import { useState, type ReactNode } from "react";
import { ACTION_WORDS } from "../../core/index.js";
import { isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { Dialog } from "../parts/dialog.js";
import { navigate } from "../routing/router.js";
import { accepts, newClientId } from "./requests.js";
import type { Actions } from "./use-action.js";

interface Props {
  readonly session: AgentSession;
  readonly actions: Actions;
}

type Wish = "interrupt" | "cancel" | "resume" | "retry" | "start";

/** Every button is there exactly when the machine takes what it does. */
export function SessionActions({ session, actions }: Props): ReactNode {
  const client = useClient();
  const { id, status, ui } = session;
  const isBusy = actions.pending !== null;
  const wish = (name: Wish) => void actions.run(name, () => client[name](id, { clientId: newClientId() }));
  const canInterrupt = accepts(status, "interrupt");
  useShortcuts("Turn", [
    { keys: ".", label: "Interrupt the turn", run: () => canInterrupt && wish("interrupt") },
  ]);
  const button = (name: Wish, kind = "") => (
    <button className={`button button-small ${kind}`} disabled={isBusy} onClick={() => wish(name)}>
      {ACTION_WORDS[name]}
    </button>
  );
  return (
    <div className="session-actions">
      {ui.showRetryButton && button("retry", "button-primary")}
      {ui.showResumeButton && accepts(status, "resume_session") && button("resume")}
      {accepts(status, "start_session") &&
        !isShellSession(session) &&
        button("start", status === "idle" ? "button-primary" : "session-rare")}
      {canInterrupt && button("interrupt")}
      {ui.canCancel && button("cancel")}
      {!isShellSession(session) && <ApproveChoice session={session} actions={actions} />}
      <DeleteButton session={session} actions={actions} />
    </div>
  );
}

const APPROVE_WORDS = {
  ask: "Ask me about everything",
  contained: "Ask me when it leaves the wall",
  auto: "Auto-approve everything",
} as const;

type Approve = keyof typeof APPROVE_WORDS;

/** Who answers what no rule decides. The wall can only where there is one. */
function ApproveChoice({ session, actions }: Props): ReactNode {
  const client = useClient();
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const approve = session.approve ?? (session.autoApprove ? "auto" : "ask");
  const isWalled = session.wall?.label === "walled";
  const set = (chosen: Approve) =>
    void actions.run("auto", async () => {
      await client.patchSession(session.id, { approve: chosen });
      store.want(session.id);
      setAsking(false);
    });
  const choices = (Object.keys(APPROVE_WORDS) as readonly Approve[]).filter(
    (choice) => choice !== "contained" || isWalled || approve === choice,
  );
  return (
    <>
      <select
        className="select approve-choice"
        aria-label="What it asks you"
        data-approve={approve}
        value={approve}
        disabled={actions.pending !== null}
        onChange={({ target }) => {
          const chosen = choices.find((choice) => choice === target.value) ?? "ask";
          if (chosen === "auto") setAsking(true);
          else set(chosen);
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {APPROVE_WORDS[choice]}
          </option>
        ))}
      </select>
      {isAsking && (
        <Dialog title="Approve everything it asks for?" onClose={() => setAsking(false)}>
          <p>
            From now on this session’s agent runs commands and changes files without asking you. Rules that
            say <strong>ask</strong> or <strong>deny</strong> still hold; nothing else does.
          </p>
          <div className="dialog-actions">
            <button className="button" onClick={() => setAsking(false)}>
              Keep asking me
            </button>
            <button
              className="button button-danger"
              disabled={actions.pending !== null}
              onClick={() => set("auto")}
            >
              Turn auto-approve on
            </button>
          </div>
          {actions.problem !== null && <p role="alert">{actions.problem}</p>}
        </Dialog>
      )}
    </>
  );
}

function DeleteButton({ session, actions }: Props): ReactNode {
  const client = useClient();
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const remove = () =>
    void actions.run("delete", async () => {
      await client.deleteSession(session.id);
      navigate("/");
      store.forget(session.id);
    });
  return (
    <>
      <button className="button button-small button-plain session-rare" onClick={() => setAsking(true)}>
        Delete…
      </button>
      {isAsking && (
        <Dialog title="Delete this session?" onClose={() => setAsking(false)}>
          <p>
            Its agent is ended, and everything that is kept of <strong>{session.title}</strong> is deleted.
            Files in its folder stay as they are.
          </p>
          <div className="dialog-actions">
            <button className="button" onClick={() => setAsking(false)}>
              Keep it
            </button>
            <button className="button button-danger" disabled={actions.pending !== null} onClick={remove}>
              Delete
            </button>
          </div>
          {actions.problem !== null && <p role="alert">{actions.problem}</p>}
        </Dialog>
      )}
    </>
  );
}
