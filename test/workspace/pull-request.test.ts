/** A finish as a pull request: a real repository, a bare one as its remote, and `gh` and `glab` as scripts that keep what is asked. */
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { conflictWords, requestWords } from "../../src/daemon/http/routes/workspace-messages.js";
import { Crash } from "../../src/workspace/driver.js";
import { findForge, pullRequest } from "../../src/workspace/forge.js";
import { forgeOf } from "../../src/workspace/open-request.js";
import { Hands } from "../../src/workspace/place.js";
import { WorkspaceLab } from "./workspace-lab.js";

let lab: WorkspaceLab;
let remote = "";
let bin = "";
const path = process.env["PATH"] ?? "";

beforeEach(async () => {
  lab = await WorkspaceLab.open();
  await lab.commit({ "a.txt": "one\n" }, "start");
  remote = join(lab.root, "remote.git");
  await lab.git("init", "--quiet", "--bare", remote);
  await lab.git("remote", "add", "origin", remote);
  await lab.git("push", "--quiet", "--set-upstream", "origin", "main");
  bin = join(lab.root, "bin");
  await mkdir(bin);
  // Nothing but git and a shell: neither program is there unless a test puts it there.
  for (const name of ["git", "sh", "cat"]) await link(name);
  process.env["PATH"] = bin;
});
afterEach(async () => {
  process.env["PATH"] = path;
  await lab.close();
});

async function link(name: string): Promise<void> {
  for (const folder of path.split(delimiter)) {
    const there = await readFile(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    await symlink(join(folder, name), join(bin, name));
    return;
  }
}

/** Writes down what it was asked; `view` is what it shows of the request. */
async function script(name: "gh" | "glab", view: unknown, comments: unknown): Promise<void> {
  const kept = join(lab.root, name);
  await mkdir(kept);
  await writeFile(join(kept, "view"), JSON.stringify(view));
  await writeFile(join(kept, "comments"), JSON.stringify(comments));
  const url = name === "gh" ? "https://github.test/o/r/pull/7" : "https://gitlab.test/o/r/-/merge_requests/7";
  const field = name === "gh" ? "url" : "web_url";
  const text = `#!/bin/sh
for word in "$@"; do printf '%s|' "$word" >> ${kept}/asked; done; echo >> ${kept}/asked
case "$1 $2" in
  "pr list"|"mr list") if [ -f ${kept}/open ]; then echo '[{"${field}":"${url}"}]'; else echo '[]'; fi ;;
  "pr create"|"mr create") echo made > ${kept}/open; echo "Creating it"; echo "${url}" ;;
  "pr view"|"mr view") cat ${kept}/view ;;
  "api "*) cat ${kept}/comments ;;
  *) echo "unknown: $1 $2" >&2; exit 1 ;;
esac
`;
  await writeFile(join(bin, name), text);
  await chmod(join(bin, name), 0o755);
}

async function asked(name: "gh" | "glab"): Promise<readonly string[]> {
  const text = await readFile(join(lab.root, name, "asked"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

test("the branch is pushed, a request is opened once, and what is added later goes to the same", async () => {
  await script("gh", {}, []);
  const { id, path: place, branch } = await lab.made();
  await lab.write(place, { "a.txt": "two\n" });
  expect(await lab.finish(id, "pr", "Mend it\n\nBecause it was broken.")).toMatchObject({ result: "ok" });
  const url = "https://github.test/o/r/pull/7";
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null, finished: { how: "pr", url } });
  const head = await lab.gitIn(place, "rev-parse", "HEAD");
  expect(await lab.gitIn(remote, "rev-parse", branch)).toBe(head);
  // The base is as it was.
  expect(await lab.git("log", "--format=%s", "main")).toBe("start");
  expect((await asked("gh"))[1]).toBe(
    `pr|create|--head|${branch}|--base|main|--title|Mend it|--body|Because it was broken.|`,
  );
  // Also a history that was written anew: nobody else has pushed there.
  await lab.gitIn(place, "commit", "--quiet", "--amend", "-m", "Mend it better");
  expect(await lab.finish(id, "pr", "Mend it")).toMatchObject({ result: "ok" });
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null, finished: { url } });
  expect(await lab.gitIn(remote, "log", "-1", "--format=%s", branch)).toBe("Mend it better");
  expect((await asked("gh")).filter((line) => line.startsWith("pr|create"))).toHaveLength(1);
});

test("what another has pushed there is left alone", async () => {
  await script("gh", {}, []);
  const { id, path: place, branch } = await lab.made();
  await lab.write(place, { "a.txt": "two\n" });
  await lab.finish(id, "pr");
  const clone = join(lab.root, "other");
  await lab.git("clone", "--quiet", "--branch", branch, remote, clone);
  await lab.write(clone, { "b.txt": "another's\n" });
  await lab.gitIn(clone, "add", "--all");
  await lab.gitIn(
    clone,
    "-c",
    "user.name=B",
    "-c",
    "user.email=b@example.test",
    "commit",
    "--quiet",
    "-m",
    "b",
  );
  await lab.gitIn(clone, "push", "--quiet");
  const theirs = await lab.gitIn(remote, "rev-parse", branch);
  await lab.write(place, { "a.txt": "three\n" });
  await lab.finish(id, "pr");
  expect(lab.state(id).error?.message).toContain("What is there was left alone");
  expect(lab.state(id).status).toBe("ready");
  expect(await lab.gitIn(remote, "rev-parse", branch)).toBe(theirs);
});

test("without a program the branch is pushed and told; without a remote nothing is", async () => {
  const { id, path: place, branch } = await lab.made();
  await lab.write(place, { "a.txt": "two\n" });
  await lab.finish(id, "pr");
  expect(lab.state(id).error?.message).toMatch(/is pushed to origin, but neither gh nor glab is installed/);
  expect(await lab.gitIn(remote, "log", "-1", "--format=%s", branch)).toBe("Make it better");
  // Installed meanwhile.
  await script("glab", {}, []);
  await lab.finish(id, "pr");
  expect(lab.state(id)).toMatchObject({
    error: null,
    finished: { url: "https://gitlab.test/o/r/-/merge_requests/7" },
  });
  await lab.git("remote", "remove", "origin");
  await lab.write(place, { "a.txt": "three\n" });
  await lab.finish(id, "pr");
  expect(lab.state(id).error?.message).toMatch(/has no remote to push to/);
  expect(await lab.gitIn(place, "status", "--porcelain")).toBe("");
});

test("a crash at any point of it is gone on with, and one request is opened", async () => {
  const { id, path: place } = await lab.made();
  await script("gh", {}, []);
  const points = ["before original push", "after original push", "after own pushed.json", "after forge"];
  for (const [n, point] of points.entries()) {
    await lab.write(place, { "a.txt": `${n}\n` });
    lab.pass = (at) => {
      if (at !== point) return;
      lab.pass = () => undefined;
      throw new Crash(point);
    };
    await lab.finish(id, "pr").catch(() => undefined);
    expect(lab.state(id).status).toBe("finishing");
    lab.restart();
    await lab.desk.settled(id);
    expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
  }
  expect((await asked("gh")).filter((line) => line.startsWith("pr|create"))).toHaveLength(1);
});

test("checks and reviews are read, bounded, and become one message", async () => {
  const { id } = await lab.made();
  await script(
    "gh",
    {
      ...{ url: "https://github.test/o/r/pull/7", state: "OPEN", title: "Mend it" },
      statusCheckRollup: [
        {
          __typename: "CheckRun",
          name: "test",
          status: "COMPLETED",
          conclusion: "FAILURE",
          detailsUrl: "https://ci.test/1",
        },
        { __typename: "CheckRun", name: "lint", status: "IN_PROGRESS", conclusion: "" },
        { __typename: "StatusContext", context: "site", state: "SUCCESS" },
      ],
      reviews: [
        { author: { login: "ann" }, state: "CHANGES_REQUESTED", body: "Not yet.\nSee below." },
        { author: { login: "bob" }, state: "APPROVED", body: "" },
      ],
    },
    [{ user: { login: "ann" }, path: "a.txt", line: 3, body: "x".repeat(5_000) }],
  );
  const record = lab.desk.get(id);
  if (!record) throw new Error("none");
  const { forge, cwd } = await forgeOf(new Hands(record.place, lab.tools()), "main");
  const seen = await pullRequest(forge, "https://github.test/o/r/pull/7", cwd);
  expect(seen).toMatchObject({
    state: "open",
    checks: [
      { name: "test", state: "failed", url: "https://ci.test/1" },
      { name: "lint", state: "pending" },
      { name: "site", state: "passed" },
    ],
    reviews: [
      { author: "ann", state: "changes_requested" },
      { state: "approved" },
      { path: "a.txt", line: 3 },
    ],
  });
  expect(seen.reviews[2]?.body).toHaveLength(4_001);
  const words = requestWords(seen) ?? "";
  expect(words).toContain('These checks have failed:\n- "test" (https://ci.test/1)\n');
  expect(words).toContain("ann:\n> Not yet.\n> See below.");
  expect(words).toContain('ann on "a.txt" line 3:');
  expect(words).not.toContain("lint");
  expect(requestWords({ ...seen, checks: [], reviews: [] })).toBeNull();
});

test("of GitLab the same is read, and a host of one is not asked by the other", async () => {
  await rm(join(bin, "gh"), { force: true });
  await script(
    "glab",
    {
      iid: 7,
      state: "opened",
      head_pipeline: { id: 3, status: "failed", web_url: "https://gitlab.test/p/3" },
    },
    [
      { system: true, body: "assigned" },
      { author: { username: "ann" }, body: "Why?", position: { new_path: "a.txt", new_line: 1 } },
    ],
  );
  const found = await findForge(remote);
  expect(found?.kind).toBe("glab");
  if (found)
    expect(await pullRequest(found, "https://gitlab.test/o/r/-/merge_requests/7", lab.repo)).toMatchObject({
      ...{ state: "opened", checks: [{ state: "failed" }] },
      reviews: [{ author: "ann", path: "a.txt", line: 1, body: "Why?" }],
    });
  expect(await findForge("git@github.com:o/r.git")).toBeNull();
});

test("what the agent is asked about conflicts names each file on a line of its own", async () => {
  const { id } = await lab.made();
  const words = conflictWords({ state: lab.state(id) }, ["a.txt", 'odd"\nname']);
  expect(words).toContain('- "a.txt"\n- "odd\\"\\nname"\n');
});
