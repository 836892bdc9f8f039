/** Rules of `permissions.toml` against real agents: what they forbid does not happen, and the label says how far. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { LabSession } from "../lab-session.js";
import type { Capability, Stand } from "./capability.js";

/** What nearly every agent does without asking anybody. */
export type QuietDeed = "read" | "list";

/** The project's own file: its deny rules count whoever wrote them. */
async function forbidding(stand: Stand, rules: readonly string[], act: () => Promise<void>): Promise<void> {
  const folder = join(stand.lab.cwd, ".signalbox");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "permissions.toml"), `[permissions]\ndeny = ${JSON.stringify(rules)}\n`);
  try {
    await act();
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}

/** After a no some agents go on and others stop; none may wait for a person. */
async function ends(session: LabSession): Promise<void> {
  await session.eventually("the end of the turn", async () => {
    const { status, asks } = await session.read();
    expect(asks.filter(({ needsHuman }) => needsHuman)).toEqual([]);
    return status === "completed" || status === "paused";
  });
}

/** What a rule forbids, nobody is asked about, and it does not happen. */
export const deny: Capability = async (stand) => {
  const path = stand.file("denied");
  await forbidding(stand, [`Shell(touch ${path})`], async () => {
    const session = await stand.start(`Run it. ${stand.touch("denied")} [[text:then not]]`);
    await ends(session);
    expect(await stand.has("denied")).toBe(false);
    const { items } = await stand.lab.client.listEvents(session.id, { limit: 1_000 });
    expect(JSON.stringify(items)).toContain(`Shell(touch ${path})`);
  });
};

/**
 * Reading a file and listing a folder: of an agent whose calls are all seen, neither gets past a rule, and the model
 * never hears what is there. Of the others it is known what they do unseen.
 */
export const label: Capability = async (stand) => {
  const folder = stand.file("folder");
  const [content, name] = [`content-${stand.word}-of-the-file`, `name-${stand.word}-of-a-file`];
  await mkdir(folder);
  await writeFile(join(folder, name), "");
  await writeFile(stand.file("secret.txt"), content);
  const unseen: QuietDeed[] = [];
  await forbidding(stand, [`Read(${stand.file("secret.txt")})`, `Shell(ls ${folder})`], async () => {
    const reader = await stand.start(`Read it. [[read:${stand.file("secret.txt")}]] [[text:it is read]]`);
    if (stand.profile.asksBlindly?.includes("read")) await reader.reject((await reader.asked()).askId);
    await ends(reader);
    if (stand.modelHeard(content)) unseen.push("read");
    const lister = await stand.start(`List it. [[shell:ls ${folder}]] [[text:it is listed]]`);
    await ends(lister);
    if (stand.modelHeard(name)) unseen.push("list");
    const { enforcement, wall } = await lister.read();
    // Behind a wall the file is empty, whoever reads it, asked for or not.
    const isHidden = (deed: QuietDeed) => deed === "read" && wall?.label === "walled";
    expect({ enforcement, unseen }).toEqual({
      enforcement: stand.profile.enforcement,
      unseen: stand.profile.unseen.filter((deed) => !isHidden(deed)),
    });
  });
};
