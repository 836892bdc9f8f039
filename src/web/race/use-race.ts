import { useCallback, useEffect, useState } from "react";
import type { Race } from "../../protocol/race.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";

const POLL_MS = 2_000;

export interface RaceView {
  readonly race: Race | null;
  readonly problem: string | null;
  readonly put: (race: Race) => void;
}

/** Read again and again while it is seen: no event tells of checks. */
export function useRace(id: string): RaceView {
  const client = useClient();
  const [race, setRace] = useState<Race | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useCallback(
    async (isOver: () => boolean) => {
      try {
        const shown = await client.getRace(id);
        if (isOver()) return;
        setRace(shown);
        setProblem(null);
      } catch (error) {
        if (!isOver()) setProblem(readFailureWords(error));
      }
    },
    [client, id],
  );
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async (): Promise<void> => {
      if (!document.hidden) await read(() => isOver);
      if (!isOver) timer = setTimeout(() => void again(), POLL_MS);
    };
    void again();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [read]);
  return { race, problem, put: setRace };
}
