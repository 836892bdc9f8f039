/**
 * What a run was started with, on disk from before its start until its end. A daemon that dies between a start and its
 * commit does not know what it has started; the next one reads it here, and makes no other plan.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { wallPlanSchema } from "../../protocol/wall.js";

const startRecordSchema = z.object({
  wall: z.union([
    z.object({ plan: wallPlanSchema, because: z.null() }),
    z.object({ plan: z.null(), because: z.string() }),
  ]),
  /** It was started without the conversation that it was to go on with. */
  forgot: z.boolean(),
});
export type StartRecord = z.infer<typeof startRecordSchema>;

export class StartRecords {
  constructor(private readonly dataDir: string) {}

  /** In place of an earlier try's: until the process is there, the newest counts. */
  async write(runId: string, record: StartRecord): Promise<void> {
    const path = this.path(runId);
    await mkdir(join(this.dataDir, "wall"), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Null: none was written, so it was started by a Signalbox without walls. Rejects when it cannot be read. */
  async read(runId: string): Promise<StartRecord | null> {
    const text = await readFile(this.path(runId), "utf8").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    });
    return text === null ? null : startRecordSchema.parse(JSON.parse(text));
  }

  async remove(runId: string): Promise<void> {
    await rm(this.path(runId), { force: true });
  }

  /** A run's id is a name for a file. */
  private path(runId: string): string {
    return join(this.dataDir, "wall", `${runId}.json`);
  }
}
