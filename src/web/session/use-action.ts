import { useCallback, useEffect, useRef, useState } from "react";
import { failureWords } from "../parts/failure-words.js";

export interface Actions {
  /** The name of what is under way. */
  readonly pending: string | null;
  /** Why the last one was not done. */
  readonly problem: string | null;
  /** Does one thing at a time: what is pressed while another is under way is not done. */
  readonly run: (name: string, act: () => Promise<unknown>) => Promise<boolean>;
  readonly dismiss: () => void;
}

export function useActions(): Actions {
  const [pending, setPending] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = useRef(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const run = useCallback(async (name: string, act: () => Promise<unknown>) => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setPending(name);
    setProblem(null);
    try {
      await act();
      return true;
    } catch (error) {
      if (isThere.current) setProblem(failureWords(error));
      return false;
    } finally {
      isBusy.current = false;
      if (isThere.current) setPending(null);
    }
  }, []);
  return { pending, problem, run, dismiss: () => setProblem(null) };
}
