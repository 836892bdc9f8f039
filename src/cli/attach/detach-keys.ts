/** Finds the keys that leave a terminal among those that are meant for its program. */

/** Ctrl-\, as terminals send it: plainly, or in the longer forms that a program can ask a terminal for. */
const CTRL_BACKSLASH = /^(?:\u001c|\u001b\[92;5(?::[12])?u|\u001b\[27;5;92~)/;
/** That a key was let go, where a program asked to be told. */
const RELEASE = /^\u001b\[\d+(?::\d+)*;\d*:3[u~A-Z]/;
/** The first press is held back for this long: then it was meant for the program. */
const HOLD_DELAY_MS = 600;

export const DETACH_KEYS_NAME = "Ctrl-\\ twice";

export interface KeysListener {
  /** For the program. */
  readonly typed: (text: string) => void;
  readonly detach: () => void;
}

export class DetachKeys {
  private held = "";
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly listener: KeysListener) {}

  take(text: string): void {
    let rest = text;
    let passed = "";
    while (rest !== "") {
      const key = CTRL_BACKSLASH.exec(rest)?.[0];
      if (key !== undefined && this.held !== "") {
        if (passed !== "") this.listener.typed(passed);
        this.drop();
        this.listener.detach();
        return;
      }
      if (key !== undefined) {
        this.hold(key);
        rest = rest.slice(key.length);
        continue;
      }
      const release = this.held === "" ? undefined : RELEASE.exec(rest)?.[0];
      const length = release?.length ?? lengthUntilKey(rest);
      const part = rest.slice(0, length);
      if (release === undefined) passed += this.drop() + part;
      else this.held += part;
      rest = rest.slice(length);
    }
    if (passed !== "") this.listener.typed(passed);
  }

  close(): void {
    this.drop();
  }

  private hold(key: string): void {
    this.held = key;
    this.timer = setTimeout(() => {
      const held = this.drop();
      if (held !== "") this.listener.typed(held);
    }, HOLD_DELAY_MS);
  }

  private drop(): string {
    clearTimeout(this.timer);
    const { held } = this;
    this.held = "";
    return held;
  }
}

/** How much of it comes before the next Ctrl-\; at least one character. */
function lengthUntilKey(text: string): number {
  for (let index = 1; index < text.length; index += 1) {
    const character = text[index];
    if ((character === "\u001c" || character === "\u001b") && CTRL_BACKSLASH.test(text.slice(index)))
      return index;
  }
  return text.length;
}
