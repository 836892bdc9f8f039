import type { Skill } from "./find-skills.js";

/** Of the model's context, at most this much is spent on what skills there are. */
const LIST_LENGTH_MAX = 8_000;
const DESCRIPTION_LENGTH_MAX = 500;

/** What the model is told of the skills that it may load. */
export function skillList(skills: Iterable<Skill>): string {
  let list = "";
  for (const { name, description, isForPeopleOnly } of skills) {
    if (isForPeopleOnly) continue;
    const line = `- ${name}: ${description.slice(0, DESCRIPTION_LENGTH_MAX)}\n`;
    if (list.length + line.length > LIST_LENGTH_MAX) return `${list}- … and more`;
    list += line;
  }
  return list.trimEnd();
}
