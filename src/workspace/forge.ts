/**
 * The programs by which a person speaks to a forge: `gh` of GitHub, `glab` of GitLab.
 *
 * They run in the person's own repository, as the person, without a terminal to ask at. What they print is bounded, and read
 * as data that somebody else wrote.
 */
import { execFile } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { PullRequest } from "../protocol/workspace.js";
import { StepError } from "./step-error.js";

export type Forge = { readonly kind: "gh" | "glab"; readonly program: string };

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const WORDS_MAX = 2_000;
const ITEMS_MAX = 100;
const BODY_MAX = 4_000;

/** By the remote's address where that tells; else whichever is installed. */
export async function findForge(remoteUrl: string): Promise<Forge | null> {
  const kinds = /gitlab/i.test(remoteUrl) ? (["glab", "gh"] as const) : (["gh", "glab"] as const);
  // A host that is known to be one of them is of no use to the other.
  const wanted = /(?:^|[/@.])(?:github|gitlab)\./i.test(remoteUrl) ? kinds.slice(0, 1) : kinds;
  for (const kind of wanted) {
    const program = await inPath(kind);
    if (program !== null) return { kind, program };
  }
  return null;
}

async function inPath(name: string): Promise<string | null> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (!isAbsolute(folder) || !(await stat(path).catch(() => null))?.isFile()) continue;
    if (await access(path, constants.X_OK).then(isSo, isNotSo)) return path;
  }
  return null;
}

const isSo = (): boolean => true;
const isNotSo = (): boolean => false;

/** Rejects with a `StepError` in the program's own words. */
async function ask({ kind, program }: Forge, args: readonly string[], cwd: string): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:SIGNALBOX_|GIT_)/.test(name));
  const env = {
    ...Object.fromEntries(own),
    ...{ GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_PROMPT: "1", NO_COLOR: "1" },
    ...{ GIT_TERMINAL_PROMPT: "0", PAGER: "cat" },
  };
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      env,
      timeout: TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
      killSignal: "SIGKILL",
    } as const;
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else {
        const words = stderr.trim() === "" ? error.message : stderr.trim();
        reject(new StepError("git_failed", `${kind}: ${words.slice(0, WORDS_MAX)}`));
      }
    });
    child.stdin?.end();
  });
}

export interface NewPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** The one that is open for the branch, or a new one. Gives its address. */
export async function ensurePullRequest(forge: Forge, wanted: NewPullRequest, cwd: string): Promise<string> {
  const { branch, base, title, body } = wanted;
  const isGithub = forge.kind === "gh";
  const listing = isGithub
    ? ["pr", "list", "--head", branch, "--state", "open", "--json", "url", "--limit", "1"]
    : ["mr", "list", "--source-branch", branch, "--output", "json", "--per-page", "1"];
  const [open] = read(openOnes, await ask(forge, listing, cwd), forge);
  const known = open?.url ?? open?.web_url;
  if (known !== undefined) return addressIn(known, forge);
  const creating = isGithub
    ? ["pr", "create", "--head", branch, "--base", base, "--title", title, "--body", body]
    : [
        ...["mr", "create", "--source-branch", branch, "--target-branch", base],
        ...["--title", title, "--description", body, "--yes"],
      ];
  return addressIn(await ask(forge, creating, cwd), forge);
}

const openOnes = z.array(z.object({ url: z.string().optional(), web_url: z.string().optional() })).max(10);

function addressIn(text: string, { kind }: Forge): string {
  const found = /https?:\/\/[^\s"'<>]{1,1000}/.exec(text)?.[0];
  if (found === undefined)
    throw new StepError(
      "git_failed",
      `${kind} did not say where the pull request is: ${text.trim().slice(0, 200)}`,
    );
  return found;
}

function read<T>(schema: z.ZodType<T>, text: string, { kind }: Forge): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StepError("git_failed", `${kind} printed no JSON: ${text.trim().slice(0, 200)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StepError(
    "git_failed",
    `${kind} printed something else than was expected: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
  );
}

/** As it is there now. */
export async function pullRequest(forge: Forge, url: string, cwd: string): Promise<PullRequest> {
  return forge.kind === "gh" ? githubRequest(forge, url, cwd) : gitlabRequest(forge, url, cwd);
}

const githubView = z.object({
  url: z.string(),
  state: z.string(),
  title: z.string().optional(),
  statusCheckRollup: z
    .array(
      z.object({
        name: z.string().optional(),
        context: z.string().optional(),
        status: z.string().optional(),
        conclusion: z.string().nullish(),
        state: z.string().optional(),
        detailsUrl: z.string().nullish(),
        targetUrl: z.string().nullish(),
      }),
    )
    .nullish(),
  reviews: z
    .array(
      z.object({
        author: z.object({ login: z.string() }).nullish(),
        state: z.string(),
        body: z.string().nullish(),
      }),
    )
    .nullish(),
});

const githubComments = z.array(
  z.object({
    user: z.object({ login: z.string() }).nullish(),
    path: z.string().nullish(),
    line: z.number().nullish(),
    body: z.string().nullish(),
  }),
);

async function githubRequest(forge: Forge, url: string, cwd: string): Promise<PullRequest> {
  const fields = "url,state,title,statusCheckRollup,reviews";
  const seen = read(githubView, await ask(forge, ["pr", "view", url, "--json", fields], cwd), forge);
  const place = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+)\/pull\/(\d+)/.exec(url);
  const host = new URL(url).hostname;
  const remarks =
    place === null
      ? []
      : read(
          githubComments,
          await ask(
            forge,
            [
              ...["api", "--hostname", host],
              `repos/${place[1] ?? ""}/pulls/${place[2] ?? ""}/comments?per_page=${ITEMS_MAX}`,
            ],
            cwd,
          ),
          forge,
        );
  return {
    ...{ url, state: wordOf(seen.state), title: seen.title ?? null },
    checks: (seen.statusCheckRollup ?? []).slice(0, ITEMS_MAX).map((check) => ({
      name: (check.name ?? check.context ?? "check").slice(0, 200),
      state: stateOf(check.conclusion ?? check.state ?? check.status ?? ""),
      url: check.detailsUrl ?? check.targetUrl ?? null,
    })),
    reviews: [
      ...(seen.reviews ?? []).map(({ author, state, body }) => ({
        ...{ author: author?.login ?? null, state: wordOf(state), body: cut(body), path: null, line: null },
      })),
      ...remarks.map(({ user, path, line, body }) => ({
        ...{ author: user?.login ?? null, state: "commented", body: cut(body) },
        ...{ path: path ?? null, line: line ?? null },
      })),
    ].slice(0, ITEMS_MAX),
  };
}

const gitlabView = z.object({
  iid: z.number(),
  state: z.string(),
  title: z.string().optional(),
  head_pipeline: z.object({ id: z.number(), status: z.string(), web_url: z.string().nullish() }).nullish(),
});

const gitlabNotes = z.array(
  z.object({
    body: z.string().nullish(),
    system: z.boolean().optional(),
    author: z.object({ username: z.string() }).nullish(),
    resolved: z.boolean().nullish(),
    position: z.object({ new_path: z.string().nullish(), new_line: z.number().nullish() }).nullish(),
  }),
);

async function gitlabRequest(forge: Forge, url: string, cwd: string): Promise<PullRequest> {
  const number = /\/merge_requests\/(\d+)/.exec(url)?.[1] ?? url;
  const seen = read(gitlabView, await ask(forge, ["mr", "view", number, "--output", "json"], cwd), forge);
  const notes = read(
    gitlabNotes,
    await ask(
      forge,
      ["api", `projects/:fullpath/merge_requests/${seen.iid}/notes?per_page=${ITEMS_MAX}`],
      cwd,
    ),
    forge,
  );
  const pipeline = seen.head_pipeline;
  return {
    ...{ url, state: wordOf(seen.state), title: seen.title ?? null },
    checks: pipeline
      ? [
          {
            ...{ name: `pipeline ${pipeline.id}`, state: stateOf(pipeline.status) },
            url: pipeline.web_url ?? null,
          },
        ]
      : [],
    reviews: notes
      .filter(({ system, resolved }) => system !== true && resolved !== true)
      .map(({ author, body, position }) => ({
        ...{ author: author?.username ?? null, state: "commented", body: cut(body) },
        ...{ path: position?.new_path ?? null, line: position?.new_line ?? null },
      }))
      .slice(0, ITEMS_MAX),
  };
}

function wordOf(state: string): string {
  return state.toLowerCase().slice(0, 100);
}

function cut(body: string | null | undefined): string {
  const text = (body ?? "").trim();
  return text.length <= BODY_MAX ? text : `${text.slice(0, BODY_MAX)}…`;
}

const PASSED = /^(?:success|passed|neutral|skipped)$/i;
const FAILED =
  /^(?:failure|failed|error|timed_out|cancelled|canceled|action_required|startup_failure|stale)$/i;

function stateOf(word: string): "passed" | "failed" | "pending" {
  return PASSED.test(word) ? "passed" : FAILED.test(word) ? "failed" : "pending";
}
