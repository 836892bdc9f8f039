/** Colours for the lines in sight, a piece of a file at a time and between frames: scrolling never waits for it. */
import { useSyncExternalStore } from "react";
import type * as LanguagesModule from "./languages.js";
import type { CodeSpan } from "./code-spans.js";
import type { DiffFile } from "./diff-model.js";

type Languages = typeof LanguagesModule;

/** What spans several lines, such as a comment, is seen within a piece only. */
const PIECE_LINES = 150;
const LINE_LENGTH_MAX = 1_000;
/** Of a quick scroll only the end is coloured. */
const WAITING_MAX = 6;
const KEPT_MAX = 400;

interface Wanted {
  readonly file: DiffFile;
  readonly piece: number;
}

export class Highlighter {
  private readonly listeners = new Set<() => void>();
  private readonly kept = new Map<string, readonly (readonly CodeSpan[] | null)[]>();
  private waiting: Wanted[] = [];
  private languages: Languages | null = null;
  private isLoading = false;
  private isPlanned = false;
  private version = 0;

  /** Null: not yet, or it is in no language that is known. */
  spans(file: DiffFile, at: number): readonly CodeSpan[] | null {
    const piece = Math.floor(at / PIECE_LINES);
    const known = this.kept.get(keyOf(file, piece));
    if (known) return known[at % PIECE_LINES] ?? null;
    this.want({ file, piece });
    return null;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): number => this.version;

  private want(wanted: Wanted): void {
    const key = keyOf(wanted.file, wanted.piece);
    if (this.waiting.some(({ file, piece }) => keyOf(file, piece) === key)) return;
    this.waiting = [...this.waiting.slice(1 - WAITING_MAX), wanted];
    if (this.languages) this.plan();
    else if (!this.isLoading) void this.load();
  }

  private async load(): Promise<void> {
    this.isLoading = true;
    try {
      this.languages = await import("./languages.js");
      this.plan();
    } catch {
      // Without colours a diff is as true; the next visit tries again.
      this.isLoading = false;
    }
  }

  private plan(): void {
    if (this.isPlanned || this.waiting.length === 0) return;
    this.isPlanned = true;
    setTimeout(() => {
      this.isPlanned = false;
      const next = this.waiting.pop();
      if (next) this.colour(next);
      this.plan();
    });
  }

  private colour({ file, piece }: Wanted): void {
    const { languages } = this;
    const language = languages?.languageOf(file.item.path) ?? null;
    const lines = file.lines.slice(piece * PIECE_LINES, (piece + 1) * PIECE_LINES);
    const spans: (readonly CodeSpan[] | null)[] = lines.map(() => null);
    if (languages && language !== null)
      for (const other of ["removed", "added"] as const) {
        const places = lines.flatMap((line, at) =>
          line.type === "context" || line.type === other ? [at] : [],
        );
        const code = places.map((at) => codeOf(lines[at]?.text ?? "")).join("\n");
        for (const [index, found] of languages.highlighted(code, language).entries()) {
          const at = places[index];
          if (at !== undefined && (lines[at]?.text.length ?? 0) <= LINE_LENGTH_MAX) spans[at] = found;
        }
      }
    if (this.kept.size >= KEPT_MAX) this.kept.clear();
    this.kept.set(keyOf(file, piece), spans);
    this.version += 1;
    for (const listener of [...this.listeners]) listener();
  }
}

function codeOf(text: string): string {
  return text.length > LINE_LENGTH_MAX ? "" : text.replace(/[\r\n]/g, " ");
}

/** A file of which more was read has other pieces at its end. */
function keyOf({ item, lines }: DiffFile, piece: number): string {
  const isWhole = lines.length >= (piece + 1) * PIECE_LINES;
  return `${item.oldBlob ?? ""} ${item.newBlob ?? ""} ${item.path} ${piece} ${isWhole ? "" : lines.length}`;
}

/** Draws again when there are more colours. */
export function useHighlights(highlighter: Highlighter): number {
  return useSyncExternalStore(highlighter.subscribe, highlighter.current);
}
