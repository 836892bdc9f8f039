/** What a terminal's screen shows, as far as it can be told from the screen alone. */
export const ACTIVITIES = ["working", "approval", "question", "idle", "shell", "unknown"] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** A way to answer that the screen itself offers. */
export interface ScreenChoice {
  readonly label: string;
  /** The bytes to type for exactly this choice. */
  readonly keys: string;
  readonly meaning: "approve" | "approve_always" | "reject" | "other";
}

export interface ScreenReading {
  readonly activity: Activity;
  /**
   * `structure`: no rule of the agent matched, but the screen plainly is a dialog or a prompt that waits for a person.
   * Such a reading is a question without choices: what its keys mean is not known.
   */
  readonly basis: "rule" | "structure";
  /** From 0 to 1. */
  readonly confidence: number;
  /** The rule that matched and the text that it matched, for `explain`. */
  readonly evidence: readonly string[];
  /** Of an approval or a question: what it asks, and what can be answered. */
  readonly prompt: {
    /** The same as long as the same prompt is shown, whatever else moves on the screen. */
    readonly fingerprint: string;
    readonly title: string;
    readonly detail: string;
    readonly choices: readonly ScreenChoice[];
  } | null;
  /** What was typed into the input box, when one is seen. Ghost text and placeholders were not. */
  readonly input: string | null;
}
