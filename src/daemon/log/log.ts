/** The daemon's log: one JSON object per line, without secrets and without payloads. */
import type { Writable } from "node:stream";
import { isSecretName, type Redact } from "./redact.js";

const LEVELS = { error: 0, warn: 1, info: 2, debug: 3 } as const;
export type LogLevel = keyof typeof LEVELS;
export type LogFields = Readonly<Record<string, unknown>>;

const TEXT_LENGTH_MAX = 4_096;
const LINE_LENGTH_MAX = 16_384;
const ITEMS_MAX = 50;
const DEPTH_MAX = 4;
/** What the stream may owe us before lines are dropped: a log that nobody reads must not fill the memory. */
const BUFFER_BYTES_MAX = 1024 * 1024;

export interface LogOptions {
  readonly level: LogLevel;
  readonly redact: Redact;
  /** Standard error unless told otherwise. */
  readonly stream?: Writable;
  /** Contents of messages and tool calls may be logged. */
  readonly payloads?: boolean;
  readonly nowMs?: () => number;
}

export class Log {
  /** Contents of messages and tool calls may be logged. */
  readonly payloads: boolean;
  readonly redact: Redact;
  readonly #level: number;
  readonly #stream: Writable;
  readonly #nowMs: () => number;
  #droppedLines = 0;

  constructor(options: LogOptions) {
    this.payloads = options.payloads ?? false;
    this.redact = options.redact;
    this.#level = LEVELS[options.level];
    this.#stream = options.stream ?? process.stderr;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Ask first where the fields alone are dear. */
  isOn(level: LogLevel): boolean {
    return LEVELS[level] <= this.#level;
  }

  error(msg: string, fields?: LogFields): void {
    this.#write("error", msg, fields);
  }

  warn(msg: string, fields?: LogFields): void {
    this.#write("warn", msg, fields);
  }

  info(msg: string, fields?: LogFields): void {
    this.#write("info", msg, fields);
  }

  debug(msg: string, fields?: LogFields): void {
    this.#write("debug", msg, fields);
  }

  #write(level: LogLevel, msg: string, fields: LogFields | undefined): void {
    if (!this.isOn(level)) return;
    if (this.#stream.writableLength > BUFFER_BYTES_MAX) {
      this.#droppedLines += 1;
      return;
    }
    if (this.#droppedLines > 0) {
      this.#stream.write(this.#line("warn", "log lines were dropped", { lines: this.#droppedLines }));
      this.#droppedLines = 0;
    }
    this.#stream.write(this.#line(level, msg, fields));
  }

  #line(level: LogLevel, msg: string, fields: LogFields | undefined): string {
    const head = { time: new Date(this.#nowMs()).toISOString(), level, msg: this.#text(msg) };
    const line = JSON.stringify({ ...this.#fields(fields ?? {}, 0), ...head });
    if (line.length <= LINE_LENGTH_MAX) return `${line}\n`;
    return `${JSON.stringify({ ...head, cut: line.length })}\n`;
  }

  #fields(fields: object, depth: number): Record<string, unknown> {
    const plain: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields).slice(0, ITEMS_MAX)) {
      plain[name] =
        typeof value === "string" && isSecretName(name) ? "[redacted]" : this.#plain(value, depth + 1);
    }
    return plain;
  }

  #plain(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Error) return this.#error(value, depth);
    if (depth > DEPTH_MAX) return "…";
    if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => this.#plain(item, depth + 1));
    return this.#fields(value, depth);
  }

  #error(error: Error, depth: number): unknown {
    const { name, message, stack, cause } = error;
    const code = "code" in error ? { code: this.#plain(error.code, depth + 1) } : {};
    const because = cause === undefined || depth > DEPTH_MAX ? {} : { cause: this.#plain(cause, depth + 1) };
    return { name, message: this.#text(message), ...code, stack: this.#text(stack ?? ""), ...because };
  }

  #text(text: string): string {
    // Cut twice: a secret that the first cut halves is beyond the second.
    const redacted = this.redact(text.slice(0, 2 * TEXT_LENGTH_MAX));
    return redacted.length <= TEXT_LENGTH_MAX ? redacted : `${redacted.slice(0, TEXT_LENGTH_MAX)}…`;
  }
}
