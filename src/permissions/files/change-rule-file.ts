/** Changes one of the person's own files. */
import { FILE_SIZE_BYTES_MAX, readFile } from "./file-cache.js";
import { parseRuleFile, type ParsedRuleFile, type RuleFileKind } from "./parse-rule-file.js";
import { realPath } from "./project-folders.js";
import { writeFileWhole } from "./write-file.js";

export interface Refused {
  readonly ok: false;
  readonly message: string;
}

export interface Before {
  /** What a new one would begin with, where there is no file. */
  readonly text: string;
  readonly held: ParsedRuleFile;
  readonly isThere: boolean;
}

/** `text`: null leaves the file as it is. */
type Change<Told> = { readonly ok: true; readonly text: string | null; readonly told: Told } | Refused;

/**
 * It does all of it without waiting, so that two who write at the same time come one after the other; somebody else's edit
 * in between is seen, and not written over. A file with a flaw is not changed, and none is written.
 */
export function changeRuleFile<Told>(
  kind: RuleFileKind,
  change: (before: Before) => Change<Told>,
): { readonly ok: true; readonly told: Told } | Refused {
  try {
    return changed(kind, change);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return refuse(`${kind.file} could not be written: ${error.message}`);
  }
}

export function refuse(message: string): Refused {
  return { ok: false, message };
}

function changed<Told>(
  kind: RuleFileKind,
  change: (before: Before) => Change<Told>,
): { readonly ok: true; readonly told: Told } | Refused {
  const { file } = kind;
  const before = readFile(file);
  if (before.type === "unreadable") return refuse(`${file} cannot be read: ${before.why}`);
  const isThere = before.type === "file";
  const bytes = isThere ? before.value : Buffer.from(firstText(kind));
  const held = parseRuleFile(bytes, kind);
  const [flaw] = held.flaws;
  if (flaw) {
    const place = flaw.line === null ? "" : `, line ${flaw.line}, column ${flaw.column ?? 1}`;
    return refuse(`${file} has a flaw and is left as it is${place}: ${flaw.message}`);
  }
  const wanted = change({ text: bytes.toString("utf8"), held, isThere });
  if (!wanted.ok) return wanted;
  const { text, told } = wanted;
  if (text === null) return { ok: true, told };
  if (Buffer.byteLength(text) > FILE_SIZE_BYTES_MAX)
    return refuse(
      `${file} would be larger than ${FILE_SIZE_BYTES_MAX} bytes, and could not be read any more`,
    );
  const now = readFile(file);
  if (now.type !== before.type || (now.type === "file" && before.type === "file" && now.hash !== before.hash))
    return refuse(`${file} was changed by somebody else at the same time; try again`);
  writeFileWhole(realPath(file), text);
  return { ok: true, told };
}

/** How every file of a person's own begins. */
export function firstText({ folder }: RuleFileKind): string {
  const about = folder === null ? "everything" : "one folder, and what is in it";
  const named = folder === null ? "" : `folder = ${JSON.stringify(folder)}\n`;
  return `# Your own rules for ${about}. See docs/permissions.md of Signalbox.\n${named}`;
}
