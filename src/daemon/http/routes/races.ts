/** Races: one prompt, several agents, one of them chosen. */
import type { CreateRace } from "../../../protocol/race.js";
import { RACE_ENTRIES_MAX } from "../../../protocol/race.js";
import type { CreateSession } from "../../../protocol/api-schemas.js";
import type { RaceRecord } from "../../race/race-record.js";
import { expand } from "../../race/races.js";
import { showRace } from "../../race/show-race.js";
import type { Desk, Handler } from "../call-handler.js";
import { failure, flawed, type Failure } from "../problem.js";
import { checkSession, titleFrom } from "./sessions.js";
import { folderFlaw } from "./folder-flaw.js";
import { repositoryFailure } from "./session-workspace.js";

const PAGE_LENGTH = 50;

export const createRace: Handler<"createRace"> = async ({ body, receipt, caller }, desk) => {
  const { races, workspaces } = desk;
  if (!races || !workspaces) return failure("not_found", "There are no races here.");
  const by = caller.principal;
  const earlier = races.earlier(receipt, by);
  if (earlier === "conflict") return failure("conflict", "Another race was asked for with this clientId.");
  if (earlier) return made(earlier, desk);
  const directory = directoryOf(body, desk);
  if (typeof directory !== "string") return directory;
  const flaw = (await folderFlaw("directory", directory)) ?? (await entriesFlaw(body, directory, desk));
  if (flaw) return flaw;
  try {
    const { project, base } = await workspaces.startAt(directory, body.from ?? null);
    const title = titleFrom(body.prompt) ?? "Race";
    // Asked for a second time while we looked.
    const again = races.earlier(receipt, by);
    if (again !== null && again !== "conflict") return await made(again, desk);
    const race = races.create({ body, title, directory, projectId: project.id, base, receipt, by });
    return await made(race, desk);
  } catch (error) {
    return repositoryFailure(error);
  }
};

async function made(race: RaceRecord, desk: Desk) {
  return {
    ok: true as const,
    value: await showRace(race, desk, "cheap"),
    location: `/v1/races/${encodeURIComponent(race.id)}`,
  };
}

function directoryOf({ directory, projectId }: CreateRace, { workspaces }: Desk): string | Failure {
  if (directory !== undefined) return directory;
  if (projectId === undefined) return flawed("directory", "Missing: a directory or a projectId is needed");
  const project = workspaces?.project(projectId);
  return project
    ? (project.directory ?? project.gitDirectory)
    : flawed("projectId", "There is no such project");
}

/** What could not be started is said before anything is. */
async function entriesFlaw(body: CreateRace, cwd: string, desk: Desk): Promise<Failure | null> {
  const count = expand(body).length;
  if (count < 2) return flawed("entries", "A race needs two agents or more: another entry, or n");
  if (count > RACE_ENTRIES_MAX) return flawed("n", `At most ${RACE_ENTRIES_MAX} in all`);
  for (const [index, { harness, model, args }] of body.entries.entries()) {
    const wish: CreateSession = {
      ...{ harness, cwd },
      ...(model === undefined ? {} : { model }),
      ...(args === undefined ? {} : { args }),
    };
    const checked = await checkSession(wish, desk);
    if (!("ok" in checked)) continue;
    const [first] = checked.errors ?? [];
    return first ? flawed(`entries[${index}].${first.path}`, first.message) : checked;
  }
  return null;
}

export const listRaces: Handler<"listRaces"> = async ({ query }, desk) => {
  const shown = (desk.races?.all() ?? []).slice(0, query.limit ?? PAGE_LENGTH);
  return {
    ok: true,
    value: { items: await Promise.all(shown.map((race) => showRace(race, desk, "cheap"))) },
  };
};

export const getRace: Handler<"getRace"> = async ({ params }, desk) => {
  const race = desk.races?.get(params.id);
  return race ? { ok: true, value: await showRace(race, desk, "full") } : notFound(params.id);
};

export const chooseInRace: Handler<"chooseInRace"> = async ({ params, body }, desk) => {
  const { races } = desk;
  const race = races?.get(params.id);
  if (!races || !race) return notFound(params.id);
  const entry = race.entries.findIndex(({ sessionId }) => sessionId === body.sessionId);
  if (entry < 0) return flawed("sessionId", "It is not in this race");
  const isSame = race.chosen?.entry === entry && race.chosen.how === body.finish.how;
  if (isSame && (race.status === "chosen" || race.status === "choosing"))
    return { ok: true, value: await showRace(race, desk, "full") };
  if (race.status === "chosen" || race.status === "choosing")
    return failure("state_transition_invalid", "Another one was chosen already.");
  const { how, message = race.title, observation = null } = body.finish;
  const after = await races.choose(race, entry, { how, message, observation });
  if (after.chosen === null)
    return failure(
      "state_transition_invalid",
      `Nothing was finished: ${after.problem ?? "it was taken back"}.`,
    );
  return { ok: true, value: await showRace(after, desk, "full") };
};

export const stopRace: Handler<"stopRace"> = async ({ params }, desk) => {
  const { races } = desk;
  const race = races?.get(params.id);
  if (!races || !race) return notFound(params.id);
  if (race.status === "choosing" || race.status === "chosen")
    return failure("state_transition_invalid", "It is decided already.");
  const after = race.status === "stopped" ? race : await races.stop(race);
  return { ok: true, value: await showRace(after, desk, "full") };
};

function notFound(id: string): Failure {
  return failure("not_found", `There is no race ${id.slice(0, 100)}.`);
}
