import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseFrontmatter } from "./frontmatter.js";

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Only a person may call it. */
  readonly isForPeopleOnly: boolean;
  readonly folder: string;
  readonly body: string;
  /** It came with the project, and is trusted no more than the project is. */
  readonly isOfProject: boolean;
}

export interface SkillFolders {
  readonly project: string;
  readonly user: string;
}

const SKILLS_MAX = 200;
const SKILL_LENGTH_MAX = 200_000;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** By name; a project's skill comes before the person's own of the same name. */
export async function findSkills({ project, user }: SkillFolders): Promise<ReadonlyMap<string, Skill>> {
  const found = [...(await skillsIn(user, false)), ...(await skillsIn(project, true))];
  return new Map(found.map((skill) => [skill.name, skill]));
}

async function skillsIn(folder: string, isOfProject: boolean): Promise<readonly Skill[]> {
  const names = await readdir(folder).catch(nothingThere);
  const skills = await Promise.all(
    names
      .toSorted()
      .slice(0, SKILLS_MAX)
      .map((name) => readSkill(join(folder, name), name, isOfProject)),
  );
  return skills.flatMap((skill) => skill ?? []);
}

async function readSkill(folder: string, folderName: string, isOfProject: boolean): Promise<Skill | null> {
  const source = await readFile(join(folder, "SKILL.md"), "utf8").catch(() => null);
  if (source === null || source.length > SKILL_LENGTH_MAX) return null;
  const { fields, body } = parseFrontmatter(source);
  const name = fields["name"] ?? folderName;
  if (!NAME.test(name)) return null;
  const isForPeopleOnly = fields["disable-model-invocation"] === "true";
  return { name, description: fields["description"] ?? "", isForPeopleOnly, folder, body, isOfProject };
}

function nothingThere(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
  throw error;
}
