/**
 * What a person does with a suggested command. Whether it is run is decided by the agent's turn machine, which asks for a
 * second Enter when it is dangerous; here keys become requests, and what the agent tells becomes a choice.
 */
import type { EventItem } from "../client/event-item.js";
import { oneLine } from "./plain-text.js";
import type { Suggestion } from "./suggestion.js";
import type { Key } from "./terminal-keys.js";

export type Choice =
  | { readonly type: "execute"; readonly command: string }
  | { readonly type: "insert"; readonly command: string }
  | { readonly type: "leave"; readonly isInterrupted: boolean };

export interface DialogWorld {
  /** Resolves when the agent is told. */
  readonly request: (command: "execute" | "insert") => Promise<unknown>;
  /** One line, in the place of the one before. */
  readonly hint: (text: string) => void;
  /** To be read after the dialog is over. */
  readonly say: (text: string) => void;
}

export class SuggestionDialog {
  readonly choice: Promise<Choice>;
  private choose: (choice: Choice) => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;
  /** What this person asked for: what others want of the same agent is not theirs. */
  private wanted: "execute" | "insert" | null = null;
  private confirming: NodeJS.Timeout | null = null;

  constructor(
    private readonly suggestion: Suggestion,
    private readonly world: DialogWorld,
  ) {
    this.choice = new Promise((resolve, reject) => {
      this.choose = resolve;
      this.fail = reject;
    });
    this.choice.then(
      () => this.dropTimer(),
      () => this.dropTimer(),
    );
    world.hint(this.usualHint());
  }

  press(key: Key): void {
    switch (key) {
      case "enter":
        this.want("execute");
        return;
      case "tab":
        this.want("insert");
        return;
      case "escape":
      case "interrupt":
        this.choose({ type: "leave", isInterrupted: key === "interrupt" });
        return;
      case "retry":
    }
  }

  hear(item: EventItem): void {
    if (item.type !== "event" || item.channel !== "stream" || item.event.type !== "metadata") return;
    const { exit, confirm, refused } = item.event.payload;
    if (isRecord(exit)) this.heardExit(exit);
    else if (isRecord(confirm)) this.heardConfirm(confirm);
    else if (isRecord(refused) && refused["command"] === this.wanted) this.heardRefusal(refused["message"]);
  }

  private want(command: "execute" | "insert"): void {
    this.wanted = command;
    this.world.request(command).catch(this.fail);
  }

  private heardExit({ type, command }: Readonly<Record<string, unknown>>): void {
    const { wanted } = this;
    if (wanted === null) return;
    // Only what the person sees: the agent may have been asked something else meanwhile.
    if (type === wanted && command === this.suggestion.command) this.choose({ type: wanted, command });
    else if (type === "cancel" || command !== this.suggestion.command)
      this.giveUp("the agent suggests something else by now; ask again");
  }

  private heardConfirm({ command, withinMs }: Readonly<Record<string, unknown>>): void {
    if (this.wanted !== "execute" || command !== this.suggestion.command) return;
    const delayMs = typeof withinMs === "number" ? withinMs : 0;
    this.dropTimer();
    this.world.hint(
      `It is dangerous: Enter once more within ${Math.round(delayMs / 1_000)} s runs it. Esc leaves.`,
    );
    this.confirming = setTimeout(() => this.world.hint(this.usualHint()), delayMs);
  }

  private heardRefusal(message: unknown): void {
    this.giveUp(typeof message === "string" ? oneLine(message) : "the agent refuses");
  }

  private giveUp(reason: string): void {
    this.world.say(`Not run: ${reason}`);
    this.choose({ type: "leave", isInterrupted: false });
  }

  private usualHint(): string {
    const runs = this.suggestion.danger === "low" ? "Enter runs it" : "Enter, twice, runs it";
    return `${runs}, Tab inserts it, Esc leaves.`;
  }

  private dropTimer(): void {
    if (this.confirming !== null) clearTimeout(this.confirming);
    this.confirming = null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
