/** What a finish would do, and what is in the way of it, in words: nothing that the daemon did not say. */
import type { Workspace } from "../../protocol/workspace.js";

export const FINISH_CHOICES = ["squash", "merge", "rebase", "branch", "pr"] as const;
export type FinishChoice = (typeof FINISH_CHOICES)[number];

/** What a button does about a hindrance. */
export type Remedy =
  "look" | "update" | "mend" | "finish_when_idle" | "resolve" | "retry" | "abort" | "discard";

export interface Hindrance {
  readonly key: string;
  readonly words: string;
  /** False: it is told, and the finish may go on. */
  readonly blocks: boolean;
  readonly remedies: readonly Remedy[];
}

export interface FinishPlan {
  /** What the button would do; null: there is nothing that it could. */
  readonly will: string | null;
  readonly hindrances: readonly Hindrance[];
  readonly canFinish: boolean;
}

/** Statuses in which a finish can begin. */
const OPEN: ReadonlySet<Workspace["status"]> = new Set(["ready", "merged"]);

export function planFor(workspace: Workspace, how: FinishChoice): FinishPlan {
  const hindrances = hindrancesOf(workspace, how);
  const isBlocked = hindrances.some(({ blocks }) => blocks);
  const isOpen = OPEN.has(workspace.status) && workspace.observed !== null;
  return {
    will: isOpen && hasWork(workspace, how) ? willWords(workspace, how) : null,
    hindrances,
    canFinish: isOpen && !isBlocked && hasWork(workspace, how),
  };
}

/** Whether there is something that the original does not have yet, by this way. */
function hasWork({ observed, finished }: Workspace, how: FinishChoice): boolean {
  if (observed === null) return false;
  if (observed.dirty) return true;
  return observed.ahead > 0 && !(finished?.head === observed.head && finished.how === how);
}

export function willWords({ observed, branch, base }: Workspace, how: FinishChoice): string {
  if (observed === null) return "";
  const { ahead, dirty, behind } = observed;
  const bringsIn = behind > 0 && movesBase(how) ? `${commits(behind)} of ${base.branch} come in first. ` : "";
  const commit = dirty ? "The uncommitted changes are committed. " : "";
  const total = ahead + (dirty ? 1 : 0);
  const have = total === 1 ? "becomes" : "become";
  const are = total === 1 ? "is" : "are";
  switch (how) {
    case "squash":
      return total === 1 && !dirty
        ? `${bringsIn}1 commit of ${branch} becomes one on ${base.branch}, with this message.`
        : dirty && ahead === 0
          ? `${bringsIn}The uncommitted changes of ${branch} become one commit on ${base.branch}.`
          : `${bringsIn}${commit}${commits(total)} of ${branch} ${have} one on ${base.branch}.`;
    case "merge":
      return behind > 0
        ? `${commit}${commits(total)} of ${branch} and ${commits(behind)} of ${base.branch} are joined by a merge commit.`
        : `${commit}${base.branch} moves forward by ${commits(total)} of ${branch}.`;
    case "rebase":
      return `${commit}${commits(total)} of ${branch} ${are} put on top of ${base.branch}, one by one.`;
    case "branch":
      return `${commit}The branch ${branch} with ${commits(total)} appears in the repository; ${base.branch} stays as it is.`;
    case "pr":
      return `${commit}${branch} with ${commits(total)} is pushed, and a pull request for ${base.branch} is opened by gh or glab.`;
  }
}

function movesBase(how: FinishChoice): boolean {
  return how !== "branch" && how !== "pr";
}

function commits(count: number): string {
  return count === 1 ? "1 commit" : `${count} commits`;
}

function hindrancesOf(workspace: Workspace, how: FinishChoice): readonly Hindrance[] {
  const { status } = workspace;
  if (status === "conflicted") return [conflictOf(workspace)];
  if (status === "failed") return [failureOf(workspace)];
  if (!OPEN.has(status)) return [];
  const { observed, running, base, error } = workspace;
  const found: Hindrance[] = [];
  if (observed === null)
    found.push(told("unseen", "Its files have not been looked at since the last change.", true, ["look"]));
  if (running > 0)
    found.push(
      told("running", `${running === 1 ? "An agent works" : `${running} agents work`} in it now.`, true, [
        "finish_when_idle",
      ]),
    );
  if (observed?.baseDirty === true && movesBase(how))
    found.push(
      told(
        "base_dirty",
        `${base.branch} is checked out with changes that are not committed: commit or stash them there.`,
        true,
        ["look"],
      ),
    );
  if (observed && observed.behind > 0 && movesBase(how))
    found.push(
      told(
        "behind",
        `${base.branch} has ${commits(observed.behind)} that this workspace does not have.`,
        false,
        observed.dirty ? [] : ["update"],
      ),
    );
  if (checkWords(workspace).outcome === "failed")
    found.push(
      told(
        "check_failed",
        `The check ${workspace.check?.command ?? ""} failed.`,
        false,
        running > 0 ? [] : ["mend"],
      ),
    );
  if (error && error.code !== "base_dirty" && error.code !== "nothing_to_finish")
    found.push(told("error", `The last attempt failed: ${error.message}`, false, ["look"]));
  if (observed && !hasWork(workspace, how)) found.push(nothingToDo(workspace, how));
  return found;
}

function nothingToDo({ observed, branch, base }: Workspace, how: FinishChoice): Hindrance {
  const isThere = observed !== null && observed.ahead > 0;
  const words = isThere
    ? `${branch} is in the repository already, as it is now.`
    : `Nothing was changed: ${base.branch} has all that is in ${branch}.`;
  return told(
    "nothing",
    how === "branch" || !isThere ? words : `All of ${branch} is part of the repository.`,
    true,
    ["look"],
  );
}

function conflictOf({ base, conflicts, running }: Workspace): Hindrance {
  const files = conflicts.length === 1 ? "1 file" : `${conflicts.length} files`;
  const words = `${files} cannot be brought together with ${base.branch}, which is as it was.`;
  return running > 0
    ? told("conflict", `${words} An agent works in it now.`, true, ["abort"])
    : told("conflict", words, true, ["resolve", "retry", "abort"]);
}

function failureOf({ error, setup }: Workspace): Hindrance {
  const words = error?.message ?? "It could not be made.";
  if (error?.code === "lost")
    return told("lost", `Its directory is lost: ${words}.`, true, ["retry", "discard"]);
  if (setup === "failed") return told("setup", `Its setup failed: ${words}.`, true, ["retry", "abort"]);
  return told("failed", `It could not be made: ${words}.`, true, ["retry", "abort"]);
}

function told(key: string, words: string, blocks: boolean, remedies: readonly Remedy[]): Hindrance {
  return { key, words, blocks, remedies };
}

/** How it stands, when nothing is to be decided. */
export function stateWords(workspace: Workspace): string | null {
  const { status, setup, finish, finished, branch, base } = workspace;
  switch (status) {
    case "preparing":
      return setup === "running" ? "Its setup runs." : "The workspace is being made.";
    case "finishing":
      return finish?.held === true
        ? "It is finished as soon as no agent works in it."
        : finishingWords(workspace);
    case "merged":
      return finished === null ? null : finishedWords(branch, base.branch, finished);
    case "gone":
      return finished === null
        ? "Its workspace was moved to the trash, where it stays for 14 days."
        : `${finishedWords(branch, base.branch, finished)} The workspace is gone.`;
    case "none":
    case "ready":
    case "failed":
    case "conflicted":
      return null;
  }
}

function finishingWords({ finish, base }: Workspace): string {
  switch (finish?.step) {
    case "look":
      return "Its files are looked at.";
    case "commit":
      return "The changes are committed.";
    case "integrate":
      return `The changes and ${base.branch} are brought together.`;
    case "undo":
      return "The files are put back as they were.";
    case "remove":
      return "The workspace is moved to the trash.";
    default:
      return "The repository takes the changes.";
  }
}

function finishedWords(
  branch: string,
  base: string,
  { how, head, url }: NonNullable<Workspace["finished"]>,
): string {
  const at = head.slice(0, 10);
  if (how === "branch") return `${branch} is in the repository, at ${at}.`;
  if (how === "pr") return url === null ? `${branch} was pushed.` : `A pull request is open: ${url}`;
  return `${base} has the changes of ${branch}, at ${at}.`;
}

/** What would be in the trash only, were it discarded; null: nothing. */
export function loseWords({ observed, finished }: Workspace): string | null {
  if (observed === null) return "what is in it now";
  const parts = [
    observed.dirty ? "uncommitted changes" : "",
    observed.ahead > 0 && finished?.head !== observed.head ? commits(observed.ahead) : "",
    observed.loose ? "ignored files or other branches" : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(", ");
}

/** The first line says what was wanted: the title, unless it only names the agent. */
export function proposedMessage(title: string, lastWords: string | null): string {
  const subject = title
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[.…]+$/, "");
  const cut = subject.length <= SUBJECT_MAX ? subject : `${subject.slice(0, SUBJECT_MAX - 1)}…`;
  const body =
    (lastWords ?? "")
      .trim()
      .split(/\n\s*\n/, 1)[0]
      ?.trim() ?? "";
  const isShort = body !== "" && body.length <= BODY_MAX && !body.includes("```");
  return isShort ? `${cut}\n\n${body}` : cut;
}

const SUBJECT_MAX = 72;
const BODY_MAX = 400;

export interface CheckTold {
  readonly words: string;
  readonly outcome: "none" | "running" | "passed" | "failed" | "stale";
  readonly canRun: boolean;
}

/** What the check says of what is there now: one of before is told as such. */
export function checkWords({ check, checkCommand, observed, status }: Workspace): CheckTold {
  const canRun = checkCommand !== null && status !== "preparing" && status !== "finishing";
  if (check === null) return { words: "not checked", outcome: "none", canRun };
  if (check.status === "running") return { words: "the check runs", outcome: "running", canRun: false };
  const code = check.exitCode === null ? "was cut off" : `failed with ${check.exitCode}`;
  const words = check.status === "passed" ? "check passed" : `check ${code}`;
  const isOld = observed !== null && check.observation !== null && check.observation !== observed.id;
  if (isOld) return { words: `${words}; something changed since`, outcome: "stale", canRun };
  return { words: check.status === "passed" ? `✓ ${words}` : words, outcome: check.status, canRun };
}

/** What an agent is told whose change does not pass. */
export function mendWords({ check }: Workspace): string {
  const code = check?.exitCode == null ? "failed" : `ended with ${check.exitCode}`;
  const output = (check?.output ?? "").trimEnd().slice(-MEND_LENGTH);
  return `The check of this project ${code}: ${check?.command ?? ""}\n\nThe end of what it said:\n\n${output}\n\nMend what it found.`;
}

const MEND_LENGTH = 8_000;
