import { ConfigError } from "../../permissions/config/harness-configs.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { HarnessSetup } from "../config/harness-setup.js";
import { createRedact, type Redact } from "./redact.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** Null: of a session that is gone nothing more is known than of the daemon. */
export type SessionRedact = (record: SessionRecord | null) => Redact;

/** Takes out also the secrets that a session was given, or that are configured for its agent. */
export function sessionRedact(variables: Variables, setup: Pick<HarnessSetup, "launch">): SessionRedact {
  return (record) => createRedact(variables, record === null ? {} : variablesOf(record.settings, setup));
}

function variablesOf(settings: SessionSettings, setup: Pick<HarnessSetup, "launch">): Variables {
  try {
    return setup.launch(settings).settings.env;
  } catch (error) {
    // Whatever is wrong with the configuration by now is told when an agent is to start.
    if (!(error instanceof ConfigError)) throw error;
    return settings.env;
  }
}
