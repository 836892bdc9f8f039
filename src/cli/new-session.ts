/** What `run` and `new` have in common: the session that is to be started. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { APPROVALS } from "../core/index.js";
import type { CreateSession } from "../protocol/api-schemas.js";
import { UsageError } from "./command.js";
import { dataFolder } from "./data-folder.js";
import { makeDemoFolder } from "./demo-sessions.js";
import { personOnly } from "./person-only.js";
import { readStdin } from "./read-stdin.js";

const NETWORKS = ["closed", "listed", "open"] as const;

export const SESSION_OPTIONS = {
  cwd: { type: "string" },
  in: { type: "string" },
  workspace: { type: "boolean" },
  "no-workspace": { type: "boolean" },
  branch: { type: "string" },
  from: { type: "string" },
  title: { type: "string" },
  model: { type: "string" },
  approve: { type: "string" },
  "auto-approve": { type: "boolean" },
  wall: { type: "boolean" },
  "no-wall": { type: "boolean" },
  network: { type: "string" },
  env: { type: "string", multiple: true },
  arg: { type: "string", multiple: true },
} as const;

export const SESSION_HELP = `  --cwd DIR        where the agent works; here, when absent
  --in DIR         the same, and never in a workspace
  --workspace      in a checkout of its own, on a branch of its own, of the repository that is there; see
                   signalbox finish. The default where another session is alive in the repository
  --no-workspace   never
  --branch NAME    of the workspace; after the title, when absent
  --from REF       where the workspace begins: a branch, a tag, a commit; the branch that is checked out, when absent
  --title TEXT     what the session is called
  --model NAME     which model the agent is to use
  --approve WHO    who answers what no rule decides: ask (you), contained (the wall, where the call
                   cannot leave it; the default inside one), auto (nobody is asked)
  --auto-approve   the same as --approve auto; a rule that denies or asks still does
  --wall           with a wall around the agent, or not at all; see signalbox permissions wall
  --no-wall        without one: it can read and write what you can; for a person only
  --network WHICH  of a run behind a wall: open, listed or closed; as configured, when absent
  --env K=V        a variable for the agent; may be repeated
  --arg ARG        an argument for the agent's program; may be repeated (--arg=--flag)
`;

interface SessionValues {
  readonly cwd?: string | undefined;
  readonly in?: string | undefined;
  readonly workspace?: boolean | undefined;
  readonly "no-workspace"?: boolean | undefined;
  readonly branch?: string | undefined;
  readonly from?: string | undefined;
  readonly "data-dir"?: string | undefined;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  readonly approve?: string | undefined;
  readonly "auto-approve"?: boolean | undefined;
  readonly wall?: boolean | undefined;
  readonly "no-wall"?: boolean | undefined;
  readonly network?: string | undefined;
  readonly env?: readonly string[] | undefined;
  readonly arg?: readonly string[] | undefined;
}

/** The request that the options and words make. A prompt of `-` is read from stdin. */
export async function newSession(
  command: string,
  values: SessionValues,
  harness: string,
  prompt: string | undefined,
): Promise<CreateSession> {
  const text = prompt === "-" ? await readStdin() : prompt;
  return {
    harness,
    cwd: folderFor(command, values, harness),
    ...(text === undefined ? {} : { prompt: text }),
    ...(values.title === undefined ? {} : { title: values.title }),
    ...(values.model === undefined ? {} : { model: values.model }),
    ...workspaceOf(command, values),
    ...approveOf(command, values),
    ...wallOf(command, values),
    ...networkOf(command, values),
    ...(values.env === undefined ? {} : { env: parseVariables(command, values.env) }),
    ...(values.arg === undefined ? {} : { args: [...values.arg] }),
  };
}

/** A branch or a beginning is only of use to a workspace. */
function workspaceOf(
  command: string,
  { in: folder, workspace, "no-workspace": none, branch, from, cwd }: SessionValues,
): Pick<CreateSession, "workspace" | "branch" | "from"> {
  const hint = `See signalbox ${command} --help.`;
  const isWanted = workspace === true || branch !== undefined || from !== undefined;
  if (folder !== undefined && isWanted)
    throw new UsageError("--in means no workspace: use --cwd with --workspace, --branch and --from", hint);
  if (folder !== undefined && cwd !== undefined)
    throw new UsageError("--in and --cwd exclude each other", hint);
  if (none === true && isWanted)
    throw new UsageError("--no-workspace excludes --workspace, --branch and --from", hint);
  if (folder !== undefined || none === true) return {};
  if (!isWanted) return { workspace: "auto" };
  return {
    workspace: "new",
    ...(branch === undefined ? {} : { branch }),
    ...(from === undefined ? {} : { from }),
  };
}

function approveOf(command: string, values: SessionValues): Pick<CreateSession, "approve"> {
  const { approve = values["auto-approve"] === true ? "auto" : undefined } = values;
  if (approve === undefined) return {};
  const wanted = APPROVALS.find((each) => each === approve);
  if (wanted !== undefined) return { approve: wanted };
  throw new UsageError(`--approve is one of ${APPROVALS.join(", ")}`, `See signalbox ${command} --help.`);
}

function wallOf(command: string, values: SessionValues): Pick<CreateSession, "wall"> {
  const isOff = values["no-wall"] === true;
  if (isOff && values.wall === true)
    throw new UsageError("--wall and --no-wall exclude each other", `See signalbox ${command} --help.`);
  if (isOff) personOnly("--no-wall");
  if (isOff) return { wall: "off" };
  return values.wall === true ? { wall: "on" } : {};
}

function networkOf(command: string, { network }: SessionValues): Pick<CreateSession, "network"> {
  if (network === undefined) return {};
  const known = NETWORKS.find((each) => each === network);
  if (known === undefined)
    throw new UsageError(
      `--network ${network}: expected ${NETWORKS.join(", ")}`,
      `See signalbox ${command} --help.`,
    );
  if (known === "open") personOnly("--network open");
  return { network: known };
}

/** Where the agent works. The demo writes a file, and has a folder of its own unless one is named. */
function folderFor(command: string, values: SessionValues, harness: string): string {
  const named = values.in ?? values.cwd;
  if (named === undefined && harness === "demo" && values.workspace !== true) {
    const folder = makeDemoFolder(dataFolder(values["data-dir"]), "run");
    process.stderr.write(`signalbox: the demo works in ${folder}\n`);
    return folder;
  }
  const folder = resolve(named ?? process.cwd());
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(
    `${values.in === undefined ? "--cwd" : "--in"} ${folder}: there is no such folder`,
    `Nothing was started. See signalbox ${command} --help.`,
  );
}

function parseVariables(command: string, pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair) => {
    const equals = pair.indexOf("=");
    if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
    throw new UsageError(
      `--env ${pair}: not NAME=VALUE`,
      `An example: --env CI=1. See signalbox ${command} --help.`,
    );
  });
  return Object.fromEntries(entries);
}
