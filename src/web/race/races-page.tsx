import { useEffect, useState, type ReactNode } from "react";
import type { Race } from "../../protocol/race.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { Link, racePath } from "../routing/router.js";
import { proseText } from "../session/text/visible-text.js";
import { NewRaceForm } from "./new-race-form.js";
import { raceWords } from "./race-words.js";
import "./race-page.css";

/** All races, and a new one. */
export function RacesPage(): ReactNode {
  const client = useClient();
  const [races, setRaces] = useState<readonly Race[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    client.listRaces({}).then(
      ({ items }) => {
        if (!isOver) setRaces(items);
      },
      (error: unknown) => {
        if (!isOver) setProblem(readFailureWords(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [client]);
  return (
    <section className="page race">
      <h1 tabIndex={-1}>Races</h1>
      <p className="quiet">
        Several agents on one prompt, each from the same commit; you choose one of the changes.
      </p>
      {problem !== null && <p className="race-problem">{problem}</p>}
      <ul className="race-list">
        {races?.map((race) => (
          <li key={race.id}>
            <Link to={racePath(race.id)}>{proseText(race.title)}</Link>{" "}
            <span className="quiet">{raceWords(race)}</span>
          </li>
        ))}
      </ul>
      <NewRaceForm />
    </section>
  );
}
