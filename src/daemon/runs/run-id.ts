/** A run's name at the keeper. */
export function runIdOf(sessionId: string, run: number): string {
  return `${sessionId}.${run}`;
}

/** A command that we run for the agent of a run; no session's id has a dash. */
export function terminalRunId(sessionId: string, run: number, terminal: number): string {
  return `${sessionId}-t${run}.${terminal}`;
}

/** Null: it is the run of an agent. */
export function parseTerminalRunId(
  runId: string,
): { readonly sessionId: string; readonly run: number; readonly terminal: number } | null {
  const [, sessionId, run, terminal] = /^(.+)-t(\d+)\.(\d+)$/.exec(runId) ?? [];
  if (sessionId === undefined) return null;
  return { sessionId, run: Number(run), terminal: Number(terminal) };
}

export function parseRunId(runId: string): { readonly sessionId: string; readonly run: number } {
  const dot = runId.lastIndexOf(".");
  return { sessionId: runId.slice(0, dot), run: Number(runId.slice(dot + 1)) };
}
