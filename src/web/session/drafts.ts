/** What was begun and not sent, for each session, for as long as the tab is there. */
const PREFIX = "signalbox.draft.";
const LENGTH_MAX = 500_000;

export function readDraft(sessionId: string): string {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(sessionId: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(PREFIX + sessionId);
    else sessionStorage.setItem(PREFIX + sessionId, text.slice(0, LENGTH_MAX));
  } catch {
    // A browser that keeps nothing: it is there until the page is left.
  }
}
