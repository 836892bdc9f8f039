import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { Role } from "../../protocol/access.js";
import { roleSchema } from "../../protocol/device.js";
import type { Log } from "../log/log.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";
import { digestOf, newSecret } from "./secret.js";

const DEVICES_MAX = 100;
/** When a device was last used is kept no more exactly than this, so that not every request writes. */
const LAST_USED_STEP_MS = 3_600_000;

const savedDeviceSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Of its secret, which we do not keep. */
  digest: z.string(),
  createdAtMs: z.number(),
  lastUsedAtMs: z.number(),
  /** Those of version 0.1 have none, and could do nearly everything. */
  role: roleSchema.default("operate"),
});
export type SavedDevice = z.infer<typeof savedDeviceSchema>;

const fileSchema = z.object({ devices: z.array(savedDeviceSchema) });

/** The browsers that are signed in, in a file, so that they still are after a restart. */
export class Devices {
  readonly #byDigest = new Map<string, SavedDevice>();
  /** Digests of those that were removed, until that is saved: they are let in no more, but still listed. */
  readonly #removed = new Set<string>();
  readonly #path: string;
  readonly #log: Log;
  readonly #nowMs: () => number;
  #saving: Promise<void> = Promise.resolve();

  static async load(dataDir: string, log: Log, nowMs: () => number): Promise<Devices> {
    const devices = new Devices(join(dataDir, "devices.json"), log, nowMs);
    const text = await readPrivateFile(devices.#path, log);
    if (text !== null) devices.#restore(text);
    return devices;
  }

  private constructor(path: string, log: Log, nowMs: () => number) {
    this.#path = path;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** The newest first. */
  list(): readonly SavedDevice[] {
    return [...this.#byDigest.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  }

  /** Its secret, which is not kept here. Rejects when it cannot be written down. */
  async add(name: string, role: Role): Promise<string> {
    const secret = newSecret();
    const digest = digestOf(secret);
    const nowMs = this.#nowMs();
    const times = { createdAtMs: nowMs, lastUsedAtMs: nowMs };
    this.#byDigest.set(digest, { id: randomUUID(), name, digest, ...times, role });
    this.#dropUnused();
    try {
      await this.#save();
    } catch (error) {
      this.#byDigest.delete(digest);
      throw error;
    }
    return secret;
  }

  /** Only digests are compared: nobody can choose the digest of a guess, so its time tells nothing. */
  find(secret: string): SavedDevice | null {
    const device = this.#byDigest.get(digestOf(secret));
    if (!device || this.#removed.has(device.digest)) return null;
    if (this.#nowMs() - device.lastUsedAtMs > LAST_USED_STEP_MS) this.#touch(device);
    return device;
  }

  /** Null: there is none. What it may do changes at once, and for good when this resolves. */
  async setRole(id: string, role: Role): Promise<SavedDevice | null> {
    const device = this.list().find((each) => each.id === id);
    if (!device || this.#removed.has(device.digest)) return null;
    const changed = { ...device, role };
    this.#byDigest.set(device.digest, changed);
    await this.#save();
    return changed;
  }

  /** Whether there was one. It is let in no more at once, and gone for good when this resolves; else it can be done again. */
  async remove(id: string): Promise<boolean> {
    const device = this.list().find((each) => each.id === id);
    if (!device) return false;
    this.#removed.add(device.digest);
    await this.#save();
    return true;
  }

  #restore(text: string): void {
    try {
      const { devices } = fileSchema.parse(JSON.parse(text));
      for (const device of devices) this.#byDigest.set(device.digest, device);
      this.#dropUnused();
    } catch (error) {
      this.#log.error("the list of devices cannot be read; browsers must sign in again", {
        path: this.#path,
        error,
      });
    }
  }

  #touch(device: SavedDevice): void {
    this.#byDigest.set(device.digest, { ...device, lastUsedAtMs: this.#nowMs() });
    this.#save().catch((error: unknown) => this.#log.warn("the list of devices was not saved", { error }));
  }

  #dropUnused(): void {
    if (this.#byDigest.size <= DEVICES_MAX) return;
    const unused = this.list().toSorted((a, b) => a.lastUsedAtMs - b.lastUsedAtMs);
    for (const { digest } of unused.slice(0, this.#byDigest.size - DEVICES_MAX))
      this.#byDigest.delete(digest);
  }

  /** One after the other, each with what is known when its turn comes. */
  #save(): Promise<void> {
    const save = this.#saving.then(() => this.#write());
    this.#saving = save.catch(() => undefined);
    return save;
  }

  async #write(): Promise<void> {
    const removed = [...this.#removed];
    const devices = [...this.#byDigest.values()].filter(({ digest }) => !this.#removed.has(digest));
    await writePrivateFile(this.#path, `${JSON.stringify({ devices }, null, 2)}\n`);
    for (const digest of removed) {
      this.#byDigest.delete(digest);
      this.#removed.delete(digest);
    }
  }
}
