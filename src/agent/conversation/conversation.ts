/**
 * The conversation, in a file of its own: one JSON object per line, written before anything of it is shown, so that a
 * crash at any point loses nothing that a person has seen.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Entry, Json } from "../../core/index.js";
import { repaired } from "./repaired.js";

export type Line =
  | { readonly type: "began"; readonly sessionId: string; readonly cwd: string; readonly atMs: number }
  | { readonly type: "entry"; readonly entry: Entry }
  /** What the provider wants to see again with a call. */
  | { readonly type: "call_metadata"; readonly callId: string; readonly metadata: Json }
  /** Text that was shown and is not yet an entry. */
  | { readonly type: "chunk"; readonly text: string };

export class Conversation {
  private readonly entryList: Entry[];
  private readonly callIds = new Set<string>();
  /** By the call that it belongs to. */
  readonly callMetadata = new Map<string, Json>();

  /** Goes on with a conversation, or begins it when there is none by that id. */
  static open(folder: string, sessionId: string, cwd: string, nowMs: number): Conversation {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${sessionId}.jsonl`);
    const lines = existsSync(path) ? readLines(path) : [];
    const conversation = new Conversation(path, sessionId, openSync(path, "a", 0o600));
    // The last line of a process that was killed may be cut short: what follows begins on a line of its own.
    if (lines.length > 0) conversation.writeRaw("\n");
    else conversation.write({ type: "began", sessionId, cwd, atMs: nowMs });
    const before = lines.flatMap((line) => (line.type === "entry" ? [line.entry] : []));
    for (const entry of before) conversation.keep(entry);
    for (const line of lines)
      if (line.type === "call_metadata") conversation.callMetadata.set(line.callId, line.metadata);
    for (const entry of repaired(lines)) conversation.append(entry);
    return conversation;
  }

  private constructor(
    private readonly path: string,
    readonly sessionId: string,
    private readonly file: number,
  ) {
    this.entryList = [];
  }

  get entries(): readonly Entry[] {
    return this.entryList;
  }

  append(entry: Entry): void {
    this.write({ type: "entry", entry });
    this.keep(entry);
  }

  hasCall(callId: string): boolean {
    return this.callIds.has(callId);
  }

  keepCallMetadata(callId: string, metadata: Json): void {
    this.write({ type: "call_metadata", callId, metadata });
    this.callMetadata.set(callId, metadata);
  }

  /** To be called before the text is shown. */
  aboutToShow(text: string): void {
    this.write({ type: "chunk", text });
  }

  /** On the disk for good. */
  persist(): void {
    fsyncSync(this.file);
  }

  close(): void {
    closeSync(this.file);
  }

  /** Out of the way, and kept. */
  archive(nowMs: number): void {
    this.close();
    renameSync(this.path, this.path.replace(/\.jsonl$/, `.${nowMs}.archived.jsonl`));
  }

  private keep(entry: Entry): void {
    this.entryList.push(entry);
    if (entry.type === "tool_call") this.callIds.add(entry.id);
  }

  private write(line: Line): void {
    this.writeRaw(`${JSON.stringify(line)}\n`);
  }

  private writeRaw(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;) written += writeSync(this.file, bytes, written);
  }
}

/** Lines that are whole. A torn one was never shown: it is written before it is shown. */
function readLines(path: string): readonly Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((text) => {
      try {
        return text === "" ? [] : [JSON.parse(text) as Line];
      } catch {
        return [];
      }
    });
}
