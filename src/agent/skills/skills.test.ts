import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSkills, type FoundSkills, type Skill } from "./find-skills.js";
import { parseFrontmatter } from "./frontmatter.js";
import { loadSkill } from "./load-skill.js";
import { skillList } from "./skill-list.js";

const { signal } = new AbortController();

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "signalbox-skills-"));
});
afterEach(() => rm(root, { recursive: true }));

async function write(of: "project" | "user", folder: string, text: string): Promise<void> {
  await mkdir(join(root, of, folder), { recursive: true });
  await writeFile(join(root, of, folder, "SKILL.md"), text);
}

const find = (): Promise<FoundSkills> =>
  findSkills({ project: join(root, "project"), user: join(root, "user") });

test("a head of flat fields, in the ways that people write it", () => {
  expect(
    parseFrontmatter("---\nname: \"a b\"\ndescription: >\n  two\n  lines\nx-y: 'q'\n---\n\nBody\n---\n"),
  ).toEqual({
    fields: { name: "a b", description: "two lines", "x-y": "q" },
    body: "Body\n---\n",
    hasEnd: true,
  });
  expect(parseFrontmatter("---\nno end")).toEqual({ fields: {}, body: "---\nno end", hasEnd: false });
  expect(parseFrontmatter("plain")).toEqual({ fields: {}, body: "plain", hasEnd: true });
  expect(parseFrontmatter("---\na: b # c\nd: 'e' # f\ng: C# h\ni: # j\n---\n").fields).toEqual({
    a: "b",
    d: "e",
    g: "C# h",
    i: "",
  });
});

test("skills of the person and of the project; the project's comes first; what is no skill is left out", async () => {
  expect(await find()).toEqual({ skills: new Map(), problems: [] });
  await write("user", "deploy", "---\ndescription: mine\n---\nA");
  await write("user", "only", "---\nname: only\ndisable-model-invocation: True # for people\n---\nB");
  await write("project", "deploy", "---\nname: deploy\ndescription: theirs\n---\nC");
  await write("project", "bad", "---\nname: ../evil\n---\nD");
  await mkdir(join(root, "project", "empty"));
  await write("user", "torn", "---\nname: torn\ndisable-model-invocation: true\n\nE");
  await write("user", "huge", "x".repeat(200_001));
  await mkdir(join(root, "user", "odd", "SKILL.md"), { recursive: true });
  const { skills, problems } = await find();
  expect(problems).toEqual([
    expect.stringMatching(/user.huge.SKILL\.md is left out: it has more than 200000 characters\.$/),
    expect.stringMatching(/user.odd.SKILL\.md is left out: Error: EISDIR/),
    expect.stringMatching(/user.torn.SKILL\.md is left out: its head begins with --- and has no end\.$/),
    expect.stringMatching(/project.bad.SKILL\.md is left out: "\.\.\/evil" is no name/),
  ]);
  expect([...skills.keys()].toSorted()).toEqual(["deploy", "only"]);
  expect(skills.get("deploy")).toMatchObject({ description: "theirs", isOfProject: true, body: "C" });
  expect(skillList(skills.values())).toBe("- deploy: theirs");
});

test("the list has a budget", () => {
  const skill = { isForPeopleOnly: false, folder: "", body: "", isOfProject: false };
  const many = Array.from({ length: 100 }, (_, index) => ({
    ...skill,
    name: `s${index}`,
    description: "d".repeat(1_000),
  }));
  const list = skillList(many);
  expect(list.length).toBeLessThan(8_100);
  expect(list.endsWith("- … and more")).toBe(true);
});

test("arguments are put in after the skill's own commands have run, and reach no shell", async () => {
  const body = "Now: !`echo $ARGUMENTS-$1; echo in:$PWD`\nGiven: $ARGUMENTS, first $1, second $2.";
  const skill = { name: "s", description: "", isForPeopleOnly: false, folder: "", body, isOfProject: false };
  const evil = "$(touch evil) `touch evil`; !`touch evil`";
  const text = await loadSkill(skill, evil, { cwd: root, mayRun: true, signal });
  expect(text).toBe(`Now: -\nin:${root}\nGiven: ${evil}, first $(touch, second evil).`);
  expect(await readdir(root)).toEqual([]);
});

test("a skill of a folder that is not trusted runs nothing", async () => {
  const skill = {
    name: "s",
    description: "",
    isForPeopleOnly: false,
    folder: "",
    body: "!`touch evil` done",
    isOfProject: true,
  };
  const text = await loadSkill(skill, "x", { cwd: root, mayRun: false, signal });
  expect(text).toBe("[not run, because this folder is not trusted: touch evil] done\n\nArguments: x");
  expect(await readdir(root)).toEqual([]);
});

test("what a skill's command leaves running holds up nothing; one that fails says why; an interrupt ends it", async () => {
  const skill = (body: string): Skill => ({
    name: "s",
    description: "",
    isForPeopleOnly: false,
    folder: "",
    body,
    isOfProject: false,
  });
  const text = await loadSkill(skill("!`setsid sleep 5 & echo hi` !`echo no >&2; exit 3` !`exit 4`"), "", {
    cwd: root,
    mayRun: true,
    signal,
  });
  expect(text).toBe("hi [echo no >&2; exit 3 failed: no] [exit 4 failed: exit code 4]");
  const controller = new AbortController();
  const options = { cwd: root, mayRun: true, signal: controller.signal };
  const loading = loadSkill(skill("!`touch began; sleep 1000`"), "", options);
  await expect.poll(() => readdir(root)).toEqual(["began"]);
  controller.abort();
  await expect(loading).rejects.toThrow("aborted");
});
