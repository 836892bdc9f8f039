/** What a folder's `.signalbox` holds, as one hash: whatever in it could make Signalbox run something is part of it. */
import { createHash } from "node:crypto";
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { FOLDER_NAME } from "../files/project-folders.js";

export type FolderContent =
  | { readonly type: "none" }
  | { readonly type: "content"; readonly hash: string; readonly files: readonly string[] }
  /** There is something in it that a hash cannot stand for. */
  | { readonly type: "unfit"; readonly why: string };

/** Null when it cannot be read. */
export type HashOf = (path: string) => string | null;

const FILES_MAX = 1_000;
/** Each is listed whenever somebody asks. */
const FOLDERS_MAX = 200;
const DEPTH_MAX = 16;

class Unfit extends Error {}

/** Every file counts, also one that nothing reads yet: nobody has to remember to add it here. */
export function folderContent(folder: string, hashOf: HashOf): FolderContent {
  const root = join(folder, FOLDER_NAME);
  const files: string[] = [];
  try {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) return { type: "none" };
    list(root, "", { files, folders: [] });
    const hash = createHash("sha256").update("signalbox folder 1\n");
    for (const file of files) {
      const ofFile = hashOf(join(root, file));
      if (ofFile === null) throw new Unfit(`${file} cannot be read, or is too large`);
      hash.update(`${ofFile} ${JSON.stringify(file)}\n`);
    }
    return { type: "content", hash: hash.digest("hex"), files };
  } catch (error) {
    if (error instanceof Unfit || (error instanceof Error && "code" in error))
      return { type: "unfit", why: error.message };
    throw error;
  }
}

interface Listed {
  readonly files: string[];
  readonly folders: string[];
}

function list(root: string, inside: string, { files, folders }: Listed, depth = 0): void {
  if (depth > DEPTH_MAX) throw new Unfit("its folders are nested too deep");
  folders.push(inside);
  if (folders.length > FOLDERS_MAX) throw new Unfit(`it has more than ${FOLDERS_MAX} folders`);
  const entries = readdirSync(join(root, inside), { withFileTypes: true });
  for (const entry of entries.sort(byName)) {
    const path = join(inside, entry.name);
    if (entry.isDirectory()) {
      list(root, path, { files, folders }, depth + 1);
      continue;
    }
    // A link to a file has that file's content. What is behind a link to a folder could change unseen.
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats?.isFile() !== true) throw new Unfit(`${path} is neither a file nor a folder`);
    files.push(path);
    if (files.length > FILES_MAX) throw new Unfit(`it has more than ${FILES_MAX} files`);
  }
}

/** The same everywhere, whatever the locale. */
function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}
