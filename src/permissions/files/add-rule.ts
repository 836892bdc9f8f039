/** Writes a rule into one of the person's own files. */
import { parseRule, type Rule } from "../../core/index.js";
import { addToList } from "../toml/add-to-list.js";
import { FILE_SIZE_BYTES_MAX, readFile } from "./file-cache.js";
import { parseRuleFile, type ParsedRuleFile, type RuleFileKind } from "./parse-rule-file.js";
import { realPath } from "./project-folders.js";
import { writeFileWhole } from "./write-file.js";

export type AddedRule =
  | {
      readonly ok: true;
      readonly file: string;
      /** False when it was there already. */ readonly isNew: boolean;
    }
  | { readonly ok: false; readonly message: string };

const LISTS = { allow: "allow", ask: "ask", deny: "deny", grant: "grants" } as const;

/**
 * Nothing else in the file changes. It does all of it without waiting, so that two who write at the same time come one
 * after the other; somebody else's edit in between is seen, and not written over.
 */
export function addRule(kind: RuleFileKind, effect: Rule["effect"], rule: string): AddedRule {
  try {
    return add(kind, effect, rule.trim());
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return { ok: false, message: `${kind.file} could not be written: ${error.message}` };
  }
}

function add(kind: RuleFileKind, effect: Rule["effect"], rule: string): AddedRule {
  const { file } = kind;
  const refuse = (message: string): AddedRule => ({ ok: false, message });
  const before = readFile(file);
  if (before.type === "unreadable") return refuse(`${file} cannot be read: ${before.why}`);
  const bytes = before.type === "file" ? before.value : Buffer.from(firstText(kind));
  const held = parseRuleFile(bytes, kind);
  const [flaw] = held.flaws;
  if (flaw) {
    const place = flaw.line === null ? "" : `, line ${flaw.line}, column ${flaw.column ?? 1}`;
    return refuse(`${file} has a flaw and is left as it is${place}: ${flaw.message}`);
  }
  if (holds(held, effect, rule)) return { ok: true, file, isNew: false };
  const added = addToList(bytes.toString("utf8"), "permissions", LISTS[effect], rule);
  if (!added.ok) return refuse(`${file}: ${added.message}`);
  if (Buffer.byteLength(added.text) > FILE_SIZE_BYTES_MAX)
    return refuse(
      `${file} would be larger than ${FILE_SIZE_BYTES_MAX} bytes, and could not be read any more`,
    );
  const after = parseRuleFile(Buffer.from(added.text), kind);
  if (after.flaws.length > 0 || !holds(after, effect, rule))
    return refuse(`${file}: ${JSON.stringify(rule)} would make it a file that cannot be read`);
  const now = readFile(file);
  if (now.type !== before.type || (now.type === "file" && before.type === "file" && now.hash !== before.hash))
    return refuse(`${file} was changed by somebody else at the same time; try again`);
  writeFileWhole(realPath(file), added.text);
  return { ok: true, file, isNew: true };
}

function holds({ rules }: ParsedRuleFile, effect: Rule["effect"], text: string): boolean {
  const wanted = parseRule(text);
  return rules.some(
    (rule) =>
      wanted.ok &&
      rule.effect === effect &&
      rule.category === wanted.category &&
      rule.pattern === wanted.pattern,
  );
}

function firstText({ folder }: RuleFileKind): string {
  const about = folder === null ? "everything" : "one folder, and what is in it";
  const named = folder === null ? "" : `folder = ${JSON.stringify(folder)}\n`;
  return `# Your own rules for ${about}. See docs/permissions.md of Signalbox.\n${named}`;
}
