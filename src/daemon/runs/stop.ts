/** How a run is ended: asked first, then told, then made to. */
export const STOP = { interrupt: true, termAfterMs: 2_000, killAfterMs: 5_000 } as const;

/** Later than any effect of a session: for a run whose session is gone. */
export const LAST_EFFECT_ID = "999999999999999.0";
