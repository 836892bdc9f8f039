/** A run's name at the keeper. */
export function runIdOf(sessionId: string, run: number): string {
  return `${sessionId}.${run}`;
}

export function parseRunId(runId: string): { readonly sessionId: string; readonly run: number } {
  const dot = runId.lastIndexOf(".");
  return { sessionId: runId.slice(0, dot), run: Number(runId.slice(dot + 1)) };
}
