import type { SessionError } from "../session/state.js";

export interface FailureWords {
  /** What is wrong, as a sentence without its full stop. */
  readonly what: string;
  /** What a person can do about it. */
  readonly remedy: string;
}

/** Of each code with which a session fails. The agent's own message says which of its reasons it was. */
const WORDS: Readonly<Record<SessionError["code"], FailureWords>> = {
  harness_failed: {
    what: "The agent could not run",
    remedy: "Correct what it names, then retry.",
  },
  login_required: {
    what: "The agent is not logged in",
    remedy: "Log in with the agent’s own command in a terminal, then retry.",
  },
  streaming_failed: {
    what: "The answer broke off",
    remedy: "Retry; what had come is kept.",
  },
  delivery_failed: {
    what: "The agent did not take the message",
    remedy: "Retry to start it again and send the message.",
  },
  api_req_failed: {
    what: "The model could not be reached",
    remedy: "Check the network and the provider’s status, then retry.",
  },
  mistake_limit_reached: {
    what: "The agent gave up after too many mistakes",
    remedy: "Send a message that says what to do differently, or retry.",
  },
  invalid_model: {
    what: "The model is not available",
    remedy: "Start a session with another model.",
  },
  payment_required_prompt: {
    what: "The provider wants to be paid",
    remedy: "Add credit or raise the limit with the provider, then retry.",
  },
};

/** Null for a code that no session fails with. */
export function wordsForFailure(code: string): FailureWords | null {
  return Object.hasOwn(WORDS, code) ? WORDS[code as SessionError["code"]] : null;
}
