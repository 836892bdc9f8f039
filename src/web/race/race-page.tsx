import { useState, type ReactNode } from "react";
import { agentName, provenWord } from "../../core/index.js";
import type { Race, RaceRow } from "../../protocol/race.js";
import { useAgentSession, useClient } from "../../react/hooks.js";
import { Dialog } from "../parts/dialog.js";
import { StatusMark } from "../parts/status-mark.js";
import { Link, sessionPath } from "../routing/router.js";
import { newClientId } from "../session/requests.js";
import { OutputView } from "../session/text/output-view.js";
import { proseText } from "../session/text/visible-text.js";
import { useActions, type Actions } from "../session/use-action.js";
import { costWords, countWords, spanWords } from "../time/time-words.js";
import { ChooseDialog } from "./choose-dialog.js";
import { RaceDiffs } from "./race-diffs.js";
import { isOver, raceWords } from "./race-words.js";
import { useRace } from "./use-race.js";
import "./race-page.css";

/** How the agents of a race compare, and the choice of one. */
export function RacePage({ id }: { readonly id: string }): ReactNode {
  const { race, problem, put } = useRace(id);
  if (!race)
    return (
      <section className="page">
        <h1 tabIndex={-1}>{problem === null ? "Loading…" : "This race cannot be shown"}</h1>
        {problem !== null && <p>{problem}</p>}
      </section>
    );
  return <Shown race={race} problem={problem} put={put} />;
}

interface ShownProps {
  readonly race: Race;
  readonly problem: string | null;
  readonly put: (race: Race) => void;
}

function Shown({ race, problem, put }: ShownProps): ReactNode {
  const client = useClient();
  const actions = useActions();
  const [chosen, setChosen] = useState<RaceRow | null>(null);
  const canStop = race.status === "running" && race.entries.some((row) => !isOver(row));
  return (
    <section className="page race" data-race={race.status}>
      <header className="race-head">
        <h1 tabIndex={-1}>{proseText(race.title)}</h1>
        {canStop && (
          <button
            className="button"
            disabled={actions.pending !== null}
            onClick={() =>
              void actions.run("stop", async () =>
                put(await client.stopRace(race.id, { clientId: newClientId() })),
              )
            }
          >
            Stop all
          </button>
        )}
      </header>
      <p className="race-state" role="status">
        {raceWords(race)}
      </p>
      <Facts race={race} problems={[problem, actions.problem]} />
      <Table race={race} actions={actions} choose={setChosen} />
      <details className="race-prompt">
        <summary>The prompt</summary>
        <OutputView text={race.prompt} linesMax={40} label="The prompt" />
      </details>
      <RaceDiffs race={race} />
      {chosen?.sessionId != null && (
        <ChooseDialog
          race={race}
          row={chosen}
          sessionId={chosen.sessionId}
          onClose={() => setChosen(null)}
          choose={(finish) => {
            const { sessionId } = chosen;
            setChosen(null);
            if (sessionId !== null)
              void actions.run("choose", async () =>
                put(await client.chooseInRace(race.id, { sessionId, finish, clientId: newClientId() })),
              );
          }}
        />
      )}
    </section>
  );
}

interface FactsProps {
  readonly race: Race;
  readonly problems: readonly (string | null)[];
}

function Facts({ race, problems }: FactsProps): ReactNode {
  return (
    <>
      <p className="quiet race-facts">
        {race.entries.length} agents from <code>{race.base.branch}</code> at{" "}
        <code>{race.base.commit.slice(0, 10)}</code>
        {race.check !== null && (
          <>
            , checked by <code>{proseText(race.check)}</code>
          </>
        )}
      </p>
      {race.problem !== null && (
        <p className="race-problem">Nothing was finished: {proseText(race.problem)}</p>
      )}
      {problems.map((words) =>
        words === null ? null : (
          <p key={words} className="race-problem" role="alert">
            {proseText(words)}
          </p>
        ),
      )}
    </>
  );
}

interface TableProps {
  readonly race: Race;
  readonly actions: Actions;
  readonly choose: (row: RaceRow) => void;
}

function Table({ race, actions, choose }: TableProps): ReactNode {
  const canChoose = race.status === "running" || race.status === "stopped";
  return (
    <div className="race-scroller" tabIndex={0} role="group" aria-label="How they compare">
      <table className="race-table">
        <thead>
          <tr>
            {["Agent", "Status", "Check", "Change", "Time", "Tokens", "Cost", "Answered", ""].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {race.entries.map((row) => (
            <tr key={row.workspaceId} data-chosen={row.isChosen} data-parked={row.isParked}>
              <th scope="row">
                <EntryName row={row} />
              </th>
              <td>
                <EntryStatus row={row} />
              </td>
              <td>
                <CheckCell row={row} />
              </td>
              <td className="race-number">
                <Counts row={row} />
              </td>
              <td className="race-number">{row.timeMs === null ? "" : spanWords(row.timeMs)}</td>
              <td className="race-number">
                {row.usage === null ? "" : countWords(row.usage.inputTokens + row.usage.outputTokens)}
              </td>
              <td className="race-number">
                {row.usage?.costUsd == null ? "" : costWords(row.usage.costUsd)}
              </td>
              <td className="race-number">{row.asksAnswered ?? ""}</td>
              <td>
                {canChoose && row.sessionId !== null && row.status !== null && isOver(row) && (
                  <button
                    className="button button-small"
                    disabled={actions.pending !== null}
                    onClick={() => choose(row)}
                  >
                    Choose…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntryName({ row }: { readonly row: RaceRow }): ReactNode {
  const name = row.model === null ? agentName(row.harness) : `${agentName(row.harness)}, ${row.model}`;
  return (
    <>
      {row.sessionId === null || row.status === null ? (
        name
      ) : (
        <Link to={sessionPath(row.sessionId)}>{name}</Link>
      )}
      {row.branch !== null && <span className="race-branch mono">{row.branch}</span>}
      {row.problem !== null && <span className="race-row-problem">{proseText(row.problem)}</span>}
    </>
  );
}

/** From the session itself, as everywhere; the race only says what it does with it. */
function EntryStatus({ row }: { readonly row: RaceRow }): ReactNode {
  const { session } = useAgentSession(row.sessionId ?? "");
  const marks = [row.isChosen ? "chosen" : "", row.isParked ? "parked" : ""].filter((mark) => mark !== "");
  if (row.sessionId === null) return row.problem === null ? "Starting" : "Not started";
  if (!session) return row.status === null ? "Deleted" : "";
  return (
    <>
      <StatusMark status={session.status} ui={session.ui} certainty={session.certainty} />
      {marks.length > 0 && <span className="race-mark">{marks.join(", ")}</span>}
      <span className="visually-hidden">{provenWord(session)}</span>
    </>
  );
}

function CheckCell({ row: { check } }: { readonly row: RaceRow }): ReactNode {
  const [isShown, setShown] = useState(false);
  if (check === null) return "";
  if (check.status === "running") return "runs";
  const code = check.exitCode === null ? "failed" : `failed (${check.exitCode})`;
  const words = check.status === "passed" ? "✓ passed" : code;
  return (
    <>
      <button className="link-button race-check" data-check={check.status} onClick={() => setShown(true)}>
        {words}
      </button>
      {isShown && (
        <Dialog title={`The check ${check.status}`} onClose={() => setShown(false)}>
          <OutputView text={check.output} linesMax={100} label="What the check said" />
        </Dialog>
      )}
    </>
  );
}

function Counts({ row: { files, added, removed } }: { readonly row: RaceRow }): ReactNode {
  if (files === null) return "";
  return (
    <>
      {files} {files === 1 ? "file" : "files"} <span className="race-added">+{added ?? 0}</span>{" "}
      <span className="race-removed">−{removed ?? 0}</span>
    </>
  );
}
