import { vi } from "vitest";
import type { Addressee, Program, ScreenReading } from "../../../src/core/index.js";
import { typeInto } from "../../../src/terminal/typing/type-into.js";
import type {
  HeldKeyboard,
  Keyboard,
  Send,
  Typed,
  TypedTerminal,
} from "../../../src/terminal/typing/typed-terminal.js";
import type { Typing } from "../../../src/runtime/terminal-observation.js";

export type Prompt = NonNullable<ScreenReading["prompt"]>;

/** A small agent with an input box and dialogs, which draws a moment after each key. */
export class SmallAgent implements TypedTerminal {
  program: Program = { type: "agent", agent: "claude" };
  isOfShell = false;
  takesPastes = true;
  isFullScreen = false;
  personTypedAtMs = -Infinity;
  printedAtMs = -Infinity;
  activity: ScreenReading["activity"] = "idle";
  input: string | null = "";
  basis: "rule" | "structure" = "rule";
  prompt: Prompt | null = null;
  transcript = "";
  /** Its screen cannot be read. */
  isDark = false;
  /** Every key that came, with its number. */
  readonly sent: (readonly [number | null, string])[] = [];
  /** Every hold that has ended, and how it was released. */
  readonly holds: { readonly addressee: Addressee; readonly isTaken: boolean }[] = [];
  /** With what holds and keys are refused. */
  gone: Error | null = null;
  holdEnd: Awaited<ReturnType<HeldKeyboard["release"]>> = { isGone: false, unreadBytes: 0 };
  /** What it does with a key. */
  onKeys: (keys: string) => void = (keys) => this.edit(keys);
  private readonly waiting = new Set<() => void>();

  look(): ScreenReading | null {
    const { activity, basis, input, prompt } = this;
    return this.isDark ? null : { activity, basis, confidence: 1, evidence: [], prompt, input };
  }

  picture(): string {
    return `${this.transcript}${this.activity}${this.input}${JSON.stringify(this.prompt)}`;
  }

  async shownMore(withinMs: number): Promise<boolean> {
    return await new Promise((resolve) => {
      const settle = (isMore: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(onMore);
        resolve(isMore);
      };
      const onMore = () => settle(true);
      const timer = setTimeout(settle, withinMs, false);
      this.waiting.add(onMore);
    });
  }

  print(): void {
    this.printedAtMs = performance.now();
    for (const tell of this.waiting) tell();
  }

  /** Types it, with all the time that it takes. */
  async type(typing: Typing, done = 0): Promise<Typed> {
    const typed = this.begin(typing, done, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(60_000);
    return await typed;
  }

  begin(typing: Typing, done: number, overtaken: AbortSignal): Promise<Typed> {
    const send: Send = (part, data) => {
      if (this.gone) return Promise.reject(this.gone);
      this.sent.push([part, data]);
      setTimeout(() => {
        this.onKeys(data);
        this.print();
      }, 10);
      return Promise.resolve();
    };
    const keyboard: Keyboard = {
      send,
      hold: (addressee) =>
        this.gone
          ? Promise.reject(this.gone)
          : Promise.resolve({
              send,
              release: (isTaken) => {
                this.holds.push({ addressee, isTaken });
                return Promise.resolve(this.holdEnd);
              },
            }),
    };
    return typeInto(this, typing, done, keyboard, overtaken);
  }

  edit(keys: string): void {
    if (keys === "\r") {
      this.input = "";
      this.activity = "working";
    } else if (keys === "\x05\x15") this.input = this.input?.split("\n").slice(0, -1).join("\n") ?? "";
    else if (keys !== "\x7f")
      this.input = (this.input ?? "") + keys.replace(/^\x1b\[200~(.*)\x1b\[201~$/s, "$1");
  }

  ask(prompt: Prompt): void {
    this.activity = "approval";
    this.prompt = prompt;
    this.input = null;
  }

  answered(): void {
    this.activity = "working";
    this.prompt = null;
  }
}
