/** Effects in their final form, as the outbox keeps them: what a driver can do without knowing the agent's language. */

/** What becomes of an effect that could not be done: the fact that says so. */
export type FailureNote =
  | { readonly type: "delivery_failed"; readonly run: number; readonly messageId: string }
  | {
      readonly type: "effect_failed";
      readonly run: number;
      readonly effect: {
        readonly type: string;
        readonly run?: number;
        readonly askId?: string;
        readonly messageId?: string;
      };
    }
  /** Nobody waits for it. */
  | { readonly type: "none" };

export type Call =
  | {
      readonly type: "spawn";
      readonly run: number;
      readonly resume: string | null;
      readonly prompt: string | null;
    }
  | { readonly type: "stop"; readonly run: number }
  /** Final bytes for the agent's stdin. */
  | { readonly type: "write"; readonly run: number; readonly data: string; readonly onFailure: FailureNote }
  | { readonly type: "signal"; readonly run: number; readonly signal: "SIGINT" | "SIGTERM" }
  | { readonly type: "check_permission"; readonly run: number; readonly askId: string }
  | { readonly type: "notify"; readonly reason: "approval" | "question" };
