/** The branch is pushed from the person's repository, and a pull request is opened for it. Done again, it finds what is there. */
import { ensurePullRequest, findForge, type Forge } from "./forge.js";
import { failureOf } from "./git.js";
import { branchHead } from "./observe.js";
import type { Hands, Original } from "./place.js";
import { StepError } from "./step-error.js";

const PUSH_TIMEOUT_MS = 10 * 60_000;
const PUSHED = "pushed.json";
const TITLE_MAX = 200;

/** Gives its address. */
export async function openRequest(
  hands: Hands,
  { branch, message }: { readonly branch: string; readonly message: string },
  base: string,
): Promise<string> {
  const remote = await remoteFor(hands, base);
  await push(hands, remote.name, branch);
  const forge = await findForge(remote.url);
  if (forge === null)
    throw new StepError(
      "git_failed",
      `${branch} is pushed to ${remote.name}, but neither gh nor glab is installed for it: open the pull request yourself, or install one, sign in and finish again.`,
    );
  const words = message.trim() === "" ? await subjectOf(hands, branch) : message.trim();
  const [first = "", ...rest] = words.split("\n");
  const title = first.trim().slice(0, TITLE_MAX);
  const wanted = { branch, base: remote.base, title, body: rest.join("\n").trim() };
  const url = await hands.passing("forge", () =>
    ensurePullRequest(forge, wanted, whereIn(hands.place.original)),
  );
  return url;
}

/** What speaks for it now. Rejects with a `StepError`. */
export async function forgeOf(
  hands: Hands,
  base: string,
): Promise<{ readonly forge: Forge; readonly cwd: string }> {
  const remote = await remoteFor(hands, base);
  const forge = await findForge(remote.url);
  if (forge === null)
    throw new StepError("git_failed", "Neither gh nor glab is installed for it: install one and sign in.");
  return { forge, cwd: whereIn(hands.place.original) };
}

function whereIn({ checkout, commonDir }: Original): string {
  return checkout ?? commonDir;
}

interface Remote {
  readonly name: string;
  readonly url: string;
  /** What the base is called there. */
  readonly base: string;
}

/** That of the base; else `origin`; else the only one. */
async function remoteFor(hands: Hands, base: string): Promise<Remote> {
  const setting = async (name: string): Promise<string> =>
    (await hands.original(["config", "--get", name])).stdout.toString("utf8").trim();
  const names = (await hands.originalLine(["remote"])).split("\n").filter((name) => name !== "");
  const tracked = await setting(`branch.${base}.remote`);
  const only = names.length === 1 ? names[0] : undefined;
  const name = [tracked, "origin"].find((each) => names.includes(each)) ?? only;
  if (name === undefined)
    throw new StepError(
      "git_failed",
      names.length === 0
        ? "The repository has no remote to push to: add one with git remote add origin ADDRESS."
        : `The repository has the remotes ${names.join(", ")}, and nothing says which: set one with git branch --set-upstream-to.`,
    );
  const merged = tracked === name ? await setting(`branch.${base}.merge`) : "";
  const url = await hands.originalLine(["remote", "get-url", "--push", name]);
  return { name, url, base: merged.startsWith("refs/heads/") ? merged.slice("refs/heads/".length) : base };
}

/** What somebody else has put there is never pushed over. */
async function push(hands: Hands, remote: string, branch: string): Promise<void> {
  const head = await branchHead(hands, branch);
  if (head === null)
    throw new StepError("git_failed", `There is no branch ${branch} in the original any more.`);
  const before = (await hands.readOwn(PUSHED)) as { readonly remote: string; readonly head: string } | null;
  const ref = `refs/heads/${branch}`;
  const lease = before?.remote === remote ? [`--force-with-lease=${ref}:${before.head}`] : [];
  const args = ["push", "--porcelain", "--no-verify", ...lease, remote, `${ref}:${ref}`];
  const pushed = await hands.original(args, { withCredentials: true, timeoutMs: PUSH_TIMEOUT_MS });
  if (pushed.code !== 0) {
    const isRefused = /^!.*\[(?:rejected|remote rejected)\]/m.exec(pushed.stdout.toString("utf8"));
    if (isRefused)
      throw new StepError(
        "git_failed",
        `${remote} did not take ${branch}: ${isRefused[0].replace(/\s+/g, " ").trim()}. What is there was left alone.`,
      );
    throw failureOf(args, pushed);
  }
  await hands.writeOwn(PUSHED, { remote, head });
}

async function subjectOf(hands: Hands, branch: string): Promise<string> {
  return hands.originalLine(["log", "-1", "--format=%B", `refs/heads/${branch}`, "--"]);
}
