/**
 * Which folders a person trusts: what a folder's own files would permit counts only while they are, byte for byte, those
 * that the person saw. The pins are in the person's config, where no repository and no agent can write.
 */
import { join } from "node:path";
import { z } from "zod";
import { FileCache } from "../files/file-cache.js";
import { FOLDER_NAME, realPath, repositoryRules } from "../files/project-folders.js";
import { writeFileWhole } from "../files/write-file.js";
import { folderContent, type FolderContent } from "./folder-content.js";

/** `changed`: trusted once, but other files than those. */
export type TrustState = "trusted" | "changed" | "untrusted";

export interface FolderTrust {
  readonly folder: string;
  readonly state: TrustState;
  readonly content: FolderContent;
  /** What keeps us from knowing. */
  readonly problem: string | null;
}

const pinsSchema = z.strictObject({
  version: z.literal(1),
  folders: z.record(
    z.string(),
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), atMs: z.number() }),
  ),
});
type Pins = z.infer<typeof pinsSchema>;
type ReadPins = Pins | { readonly problem: string };

const NO_PINS: Pins = { version: 1, folders: {} };

export class TrustStore {
  readonly file: string;
  private readonly pinFile = new FileCache<ReadPins>();
  private readonly hashes = new FileCache<null>();

  constructor(configDir: string) {
    this.file = join(configDir, "trust.json");
  }

  /** `rulesHash`: of the bytes of the folder's permissions.toml that are about to be used; they must be the trusted ones. */
  isTrusted(folder: string, rulesHash: string): boolean {
    const pins = this.pins();
    // Most folders are not pinned: their files need not be read.
    if ("problem" in pins || !Object.hasOwn(pins.folders, folder)) return false;
    return this.trustOf(folder, rulesHash).state === "trusted";
  }

  /** The same for the bytes of the folder's config.toml. */
  isTrustedConfig(folder: string, configHash: string): boolean {
    const pins = this.pins();
    if ("problem" in pins || !Object.hasOwn(pins.folders, folder)) return false;
    const used = new Map([[join(folder, FOLDER_NAME, "config.toml"), configHash]]);
    return this.trustBy(folder, used).state === "trusted";
  }

  trustOf(folder: string, rulesHash: string | null): FolderTrust {
    return this.trustBy(folder, new Map(rulesHash === null ? [] : [[repositoryRules(folder), rulesHash]]));
  }

  /** `used`: hashes of bytes that were read already; they must be the trusted ones, whatever the files are by now. */
  private trustBy(folder: string, used: ReadonlyMap<string, string>): FolderTrust {
    const content = this.contentOf(folder, used);
    const pins = this.pins();
    if ("problem" in pins) return { folder, state: "untrusted", content, problem: pins.problem };
    const pin = Object.hasOwn(pins.folders, folder) ? pins.folders[folder] : undefined;
    const problem = content.type === "unfit" ? content.why : null;
    if (!pin) return { folder, state: "untrusted", content, problem };
    const isSame = content.type === "content" && content.hash === pin.hash;
    return { folder, state: isSame ? "trusted" : "changed", content, problem };
  }

  /** Throws when the pins cannot be read or written. */
  pin(folder: string, hash: string, atMs: number): void {
    const { folders } = this.pinsToChange();
    this.write({ ...folders, [folder]: { hash, atMs } });
  }

  /** False when it was not trusted. */
  unpin(folder: string): boolean {
    const { folders } = this.pinsToChange();
    if (!Object.hasOwn(folders, folder)) return false;
    this.write(Object.fromEntries(Object.entries(folders).filter(([pinned]) => pinned !== folder)));
    return true;
  }

  private write(folders: Pins["folders"]): void {
    const pins: Pins = { version: 1, folders };
    writeFileWhole(realPath(this.file), `${JSON.stringify(pins, null, 2)}\n`);
  }

  private pins(): ReadPins {
    const content = this.pinFile.read(this.file, (bytes) => readPins(bytes, this.file));
    switch (content.type) {
      case "missing":
        return NO_PINS;
      case "unreadable":
        return { problem: `${this.file} cannot be read: ${content.why}` };
      case "file":
        return content.value;
    }
  }

  private pinsToChange(): Pins {
    const pins = this.pins();
    if ("problem" in pins) throw new Error(`${pins.problem}; nothing was changed`);
    return pins;
  }

  private contentOf(folder: string, used: ReadonlyMap<string, string>): FolderContent {
    return folderContent(folder, (path) => {
      const hash = used.get(path);
      if (hash !== undefined) return hash;
      const content = this.hashes.read(path, () => null);
      return content.type === "file" ? content.hash : null;
    });
  }
}

function readPins(bytes: Buffer, file: string): ReadPins {
  try {
    const pins = pinsSchema.safeParse(JSON.parse(bytes.toString("utf8")));
    if (pins.success) return pins.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { problem: `${file} is not what Signalbox wrote, so that no folder is trusted` };
}
