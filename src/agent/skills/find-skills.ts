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

export interface FoundSkills {
  /** By name; a project's skill comes before the person's own of the same name. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** What could not be used, and why. */
  readonly problems: readonly string[];
}

/** Never fails: a skill that cannot be used is told of, and the others can be. */
export async function findSkills({ project, user }: SkillFolders): Promise<FoundSkills> {
  const found = [...(await skillsIn(user, false)), ...(await skillsIn(project, true))];
  return {
    skills: new Map(found.flatMap((each) => (typeof each === "string" ? [] : [[each.name, each]]))),
    problems: found.filter((each) => typeof each === "string"),
  };
}

/** A text in the place of a skill says what is wrong with it. */
type Found = Skill | string;

async function skillsIn(folder: string, isOfProject: boolean): Promise<readonly Found[]> {
  const names = await namesIn(folder);
  if (typeof names === "string") return [names];
  const found = await Promise.all(
    names
      .toSorted()
      .slice(0, SKILLS_MAX)
      .map((name) => readSkill(join(folder, name), name, isOfProject)),
  );
  return found.flatMap((each) => each ?? []);
}

/** Null: there is none. */
async function readSkill(folder: string, folderName: string, isOfProject: boolean): Promise<Found | null> {
  const path = join(folder, "SKILL.md");
  const problem = (why: string): string => `The skill ${path} is left out: ${why}`;
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    return isNotThere(error) ? null : problem(String(error));
  }
  if (source.length > SKILL_LENGTH_MAX) return problem(`it has more than ${SKILL_LENGTH_MAX} characters.`);
  const { fields, body, hasEnd } = parseFrontmatter(source);
  // Whether the model may load it is said there.
  if (!hasEnd) return problem("its head begins with --- and has no end.");
  const name = fields["name"] ?? folderName;
  if (!NAME.test(name)) return problem(`${JSON.stringify(name)} is no name: letters, digits, - and _.`);
  const isForPeopleOnly = /^(?:true|yes|on)$/i.test(fields["disable-model-invocation"] ?? "");
  return { name, description: fields["description"] ?? "", isForPeopleOnly, folder, body, isOfProject };
}

async function namesIn(folder: string): Promise<readonly string[] | string> {
  try {
    return await readdir(folder);
  } catch (error) {
    return isNotThere(error) ? [] : `Skills in ${folder} cannot be read: ${String(error)}`;
  }
}

function isNotThere(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
