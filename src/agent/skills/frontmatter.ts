/** What stands between two lines of dashes at the head of a skill: flat `key: value` lines, as Agent Skills write them. */
export interface Frontmatter {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** False: it begins with a head that never ends. */
  readonly hasEnd: boolean;
}

const FENCE = /^---[ \t]*$/;

/** Without a head, all is body. */
export function parseFrontmatter(source: string): Frontmatter {
  const lines = source.replace(/^\uFEFF/, "").split(/\r?\n/);
  const hasHead = FENCE.test(lines[0] ?? "");
  const end = hasHead ? lines.findIndex((line, index) => index > 0 && FENCE.test(line)) : -1;
  if (end < 0) return { fields: {}, body: lines.join("\n"), hasEnd: !hasHead };
  return {
    hasEnd: true,
    fields: fieldsOf(lines.slice(1, end)),
    body: lines
      .slice(end + 1)
      .join("\n")
      .replace(/^\n+/, ""),
  };
}

function fieldsOf(lines: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  let key: string | null = null;
  for (const line of lines) {
    const pair = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line);
    if (pair?.[1] !== undefined) {
      key = pair[1];
      fields[key] = /^[|>][+-]?$/.test(pair[2] ?? "") ? "" : unquoted(pair[2] ?? "");
    } else if (key !== null && /^\s+\S/.test(line)) {
      // A value over several lines is read as one.
      fields[key] = `${fields[key] ?? ""} ${line.trim()}`.trim();
    }
  }
  return fields;
}

/** Without its quotes, and without a comment behind it. */
function unquoted(value: string): string {
  const text = value.trim();
  const quoted = /^(?:"(.*)"|'(.*)')(?:\s+#.*)?$/.exec(text);
  return quoted?.[1] ?? quoted?.[2] ?? text.replace(/(?:^|\s+)#.*$/, "");
}
