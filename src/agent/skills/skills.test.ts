import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSkills, type Skill } from "./find-skills.js";
import { parseFrontmatter } from "./frontmatter.js";
import { loadSkill } from "./load-skill.js";
import { skillList } from "./skill-list.js";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "signalbox-skills-"));
});
afterEach(() => rm(root, { recursive: true }));

async function write(of: "project" | "user", folder: string, text: string): Promise<void> {
  await mkdir(join(root, of, folder), { recursive: true });
  await writeFile(join(root, of, folder, "SKILL.md"), text);
}

const find = (): Promise<ReadonlyMap<string, Skill>> =>
  findSkills({ project: join(root, "project"), user: join(root, "user") });

test("a head of flat fields, in the ways that people write it", () => {
  expect(
    parseFrontmatter("---\nname: \"a b\"\ndescription: >\n  two\n  lines\nx-y: 'q'\n---\n\nBody\n---\n"),
  ).toEqual({ fields: { name: "a b", description: "two lines", "x-y": "q" }, body: "Body\n---\n" });
  expect(parseFrontmatter("---\nno end")).toEqual({ fields: {}, body: "---\nno end" });
  expect(parseFrontmatter("plain")).toEqual({ fields: {}, body: "plain" });
});

test("skills of the person and of the project; the project's comes first; what is no skill is left out", async () => {
  expect(await find()).toEqual(new Map());
  await write("user", "deploy", "---\ndescription: mine\n---\nA");
  await write("user", "only", "---\nname: only\ndisable-model-invocation: true\n---\nB");
  await write("project", "deploy", "---\nname: deploy\ndescription: theirs\n---\nC");
  await write("project", "bad", "---\nname: ../evil\n---\nD");
  await mkdir(join(root, "project", "empty"));
  const skills = await find();
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
  const text = await loadSkill(skill, evil, { cwd: root, mayRun: true });
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
  const text = await loadSkill(skill, "x", { cwd: root, mayRun: false });
  expect(text).toBe("[not run, because this folder is not trusted: touch evil] done\n\nArguments: x");
  expect(await readdir(root)).toEqual([]);
});
