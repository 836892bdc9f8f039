/**
 * What stands within a line of Markdown. Every search for an end that was not there is remembered, so that no text takes
 * more than a few looks at each character.
 */
export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "strong" | "em" | "del"; readonly children: readonly Inline[] }
  /** `href` is one that may be followed. */
  | { readonly type: "link"; readonly href: string; readonly children: readonly Inline[] };

const DEPTH_MAX = 6;
const LABEL_LENGTH_MAX = 500;
const HREF_LENGTH_MAX = 2_000;

export function parseInline(text: string, depth = 0): readonly Inline[] {
  return new InlineReader(text, depth).read();
}

/** Addresses that a person may be sent to; null for all others. */
export function safeHref(href: string): string | null {
  if (!/^(?:https?:|mailto:)/i.test(href)) return null;
  try {
    return new URL(href).href;
  } catch {
    return null;
  }
}

const SPECIAL = /[\\`*_~[!<h]/g;
const BARE_LINK = /^https?:\/\/[^\s<>"'`|\\^{}]+/i;

class InlineReader {
  private readonly nodes: Inline[] = [];
  private readonly missing = new Set<string>();
  private plain = "";
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  read(): readonly Inline[] {
    while (this.at < this.text.length) {
      SPECIAL.lastIndex = this.at;
      const found = SPECIAL.exec(this.text)?.index ?? this.text.length;
      this.plain += this.text.slice(this.at, found);
      this.at = found;
      if (found < this.text.length && !this.readSpecial()) this.take(1);
    }
    this.flush();
    return this.nodes;
  }

  private readSpecial(): boolean {
    switch (this.text[this.at]) {
      case "\\":
        return this.readEscape();
      case "`":
        return this.readCode();
      case "*":
      case "_":
        return this.readPaired(2, "strong") || this.readPaired(1, "em") || this.skipRun();
      case "~":
        return this.readPaired(2, "del") || this.skipRun();
      case "[":
        return this.readLink(this.at);
      case "!":
        // An image would be fetched: its address is shown instead.
        return this.text[this.at + 1] === "[" && this.readLink(this.at + 1);
      case "<":
        return this.readAngled();
      default:
        return this.readBare();
    }
  }

  private take(count: number): void {
    this.plain += this.text.slice(this.at, this.at + count);
    this.at += count;
  }

  private add(node: Inline, end: number): true {
    this.flush();
    this.nodes.push(node);
    this.at = end;
    return true;
  }

  private flush(): void {
    if (this.plain !== "") this.nodes.push({ type: "text", text: this.plain });
    this.plain = "";
  }

  private readEscape(): boolean {
    const next = this.text[this.at + 1];
    if (next === undefined || !/[!-/:-@[-`{-~]/.test(next)) return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  private runLength(): number {
    const character = this.text[this.at];
    let end = this.at;
    while (this.text[end] === character) end += 1;
    return end - this.at;
  }

  private skipRun(): true {
    this.take(this.runLength());
    return true;
  }

  private readCode(): boolean {
    const length = this.runLength();
    const fence = "`".repeat(length);
    if (this.missing.has(fence)) return this.skipRun();
    let end = this.text.indexOf(fence, this.at + length);
    // A longer run is another fence.
    while (end !== -1 && (this.text[end + length] === "`" || this.text[end - 1] === "`")) {
      while (this.text[end] === "`") end += 1;
      end = this.text.indexOf(fence, end);
    }
    if (end === -1) {
      this.missing.add(fence);
      return this.skipRun();
    }
    const inner = this.text.slice(this.at + length, end).replaceAll("\n", " ");
    const isPadded = inner.length > 2 && inner.startsWith(" ") && inner.endsWith(" ");
    return this.add({ type: "code", text: isPadded ? inner.slice(1, -1) : inner }, end + length);
  }

  private readPaired(length: number, type: "strong" | "em" | "del"): boolean {
    const mark = this.text.slice(this.at, this.at + length);
    const character = mark[0] ?? "";
    if (mark !== character.repeat(length) || this.depth >= DEPTH_MAX || this.missing.has(mark)) return false;
    if (this.runLength() > 3) return false;
    const start = this.at + length;
    if (/^\s?$/.test(this.text[start] ?? "")) return false;
    if (character === "_" && isWord(this.text[this.at - 1])) return false;
    const end = this.findEnd(mark, start + 1);
    if (end === -1) {
      this.missing.add(mark);
      return false;
    }
    const children = parseInline(this.text.slice(start, end), this.depth + 1);
    return this.add({ type, children }, end + length);
  }

  private findEnd(mark: string, from: number): number {
    const character = mark[0];
    let end = this.text.indexOf(mark, from);
    while (end !== -1) {
      const isAfterSpace = /\s/.test(this.text[end - 1] ?? " ");
      const isLonger =
        mark.length === 1 && (this.text[end + 1] === character || this.text[end - 1] === character);
      const isInWord = character === "_" && isWord(this.text[end + mark.length]);
      // Of three, the first ends what is within.
      const isThird = mark.length === 2 && this.text[end + 2] === character;
      if (!isAfterSpace && !isLonger && !isInWord) return isThird ? end + 1 : end;
      end = this.text.indexOf(mark, isLonger ? end + 2 : end + 1);
    }
    return -1;
  }

  private readLink(bracket: number): boolean {
    const labelEnd = this.labelEnd(bracket);
    if (labelEnd === -1 || this.text[labelEnd + 1] !== "(") return false;
    const close = this.hrefEnd(labelEnd + 2);
    if (close === -1) return false;
    const label = this.text.slice(bracket + 1, labelEnd);
    const target = this.text.slice(labelEnd + 2, close).trim();
    const address = target.replace(/\s+["'(][\s\S]*$/, "").replace(/^<|>$/g, "");
    const href = safeHref(address);
    // A label is no link itself, however it looks.
    const inner = label === "" ? ([{ type: "text", text: address }] as const) : parseInline(label, DEPTH_MAX);
    const children = inner.flatMap((node) => (node.type === "link" ? node.children : [node]));
    if (href !== null) return this.add({ type: "link", href, children }, close + 1);
    this.flush();
    if (label !== "") this.nodes.push(...children);
    this.plain = address === "" ? "" : ` (${address})`;
    this.at = close + 1;
    return true;
  }

  private labelEnd(bracket: number): number {
    const most = Math.min(this.text.length, bracket + LABEL_LENGTH_MAX);
    let nested = 0;
    for (let at = bracket; at < most; at += 1) {
      const character = this.text[at];
      if (character === "\\") at += 1;
      else if (character === "[") nested += 1;
      else if (character === "]") {
        nested -= 1;
        if (nested === 0) return at;
      }
    }
    return -1;
  }

  private hrefEnd(from: number): number {
    const most = Math.min(this.text.length, from + HREF_LENGTH_MAX);
    let nested = 1;
    for (let at = from; at < most; at += 1) {
      const character = this.text[at];
      if (character === "\n") return -1;
      if (character === "(") nested += 1;
      else if (character === ")") {
        nested -= 1;
        if (nested === 0) return at;
      }
    }
    return -1;
  }

  private readAngled(): boolean {
    const most = this.text.slice(this.at + 1, this.at + HREF_LENGTH_MAX);
    const inner = /^[a-z][a-z0-9+.-]*:[^\s<>]+(?=>)/i.exec(most)?.[0];
    const href = inner === undefined ? null : safeHref(inner);
    if (inner === undefined || href === null) return false;
    return this.add(
      { type: "link", href, children: [{ type: "text", text: inner }] },
      this.at + inner.length + 2,
    );
  }

  private readBare(): boolean {
    if (this.depth >= DEPTH_MAX || isWord(this.text[this.at - 1])) return false;
    const found = BARE_LINK.exec(this.text.slice(this.at, this.at + HREF_LENGTH_MAX))?.[0];
    const address = found?.replace(/[.,;:!?*_~)\]]+$/, "");
    const href = address === undefined ? null : safeHref(address);
    if (address === undefined || href === null) return false;
    return this.add(
      { type: "link", href, children: [{ type: "text", text: address }] },
      this.at + address.length,
    );
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
