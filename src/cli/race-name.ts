/** A race by what a person types: the beginning of its id. */
import type { Client } from "../client/client.js";
import type { Race } from "../protocol/race.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";

const LISTED_MAX = 200;

export async function resolveRace(client: Client, typed: string): Promise<Race> {
  const { items } = await client.listRaces({ limit: LISTED_MAX });
  const found = items.filter(({ id }) => typed !== "" && id.startsWith(typed));
  const [only] = found;
  if (only && found.length === 1) return only;
  const name = JSON.stringify(typed);
  throw new CommandFailure(
    found.length === 0 ? `no race ${name}` : `${name} means several races`,
    "See signalbox races.",
    EXIT.refused,
  );
}

/** By the beginning of its id, its agent, or its agent and model. */
export function sessionIn({ entries, id }: Race, typed: string): string {
  const found = entries.filter(
    ({ sessionId, harness, model }) =>
      sessionId !== null &&
      typed !== "" &&
      (sessionId.startsWith(typed) || typed === harness || typed === `${harness}:${model ?? ""}`),
  );
  const [only] = found;
  if (only && only.sessionId !== null && found.length === 1) return only.sessionId;
  throw new CommandFailure(
    found.length === 0
      ? `no session ${JSON.stringify(typed)} in this race`
      : `${JSON.stringify(typed)} means several sessions of this race`,
    `See signalbox races ${id.slice(0, 8)}.`,
    EXIT.refused,
  );
}
