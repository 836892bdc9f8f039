/**
 * Where a text stops being JSON: the first character that cannot stand there, or its end. For texts that `JSON.parse`
 * refuses, because its own message does not always say where.
 */
export function jsonFlawPosition(text: string): number {
  const scanner = new Scanner(text);
  scanner.scan();
  return scanner.at;
}

const LITERALS: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };

/** What may come next; a `first` one need not come. */
type Expected = "value" | "first value" | "key" | "first key" | "more";

/** Each method takes what it is named after, and says whether it was all there. `at` stays at the flaw. */
class Scanner {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** One value and nothing after it. Without recursion: nesting may be as deep as the text is long. */
  scan(): boolean {
    const closers: string[] = [];
    let expected: Expected = "value";
    for (;;) {
      this.#space();
      const char = this.#text[this.at] ?? "";
      if (expected === "more") {
        if (closers.length === 0) return this.at === this.#text.length;
        if (char !== "," && char !== closers.at(-1)) return false;
        this.at += 1;
        if (char === ",") expected = closers.at(-1) === "]" ? "value" : "key";
        else closers.pop();
      } else if (expected.startsWith("first") && char === closers.at(-1)) {
        this.at += 1;
        closers.pop();
        expected = "more";
      } else if (expected === "key" || expected === "first key") {
        if (!this.#key()) return false;
        expected = "value";
      } else if (char === "[" || char === "{") {
        this.at += 1;
        closers.push(char === "[" ? "]" : "}");
        expected = char === "[" ? "first value" : "first key";
      } else {
        if (!this.#scalar(char)) return false;
        expected = "more";
      }
    }
  }

  #scalar(char: string): boolean {
    if (char === '"') return this.#string();
    if (char === "-" || isDigit(char)) return this.#number();
    const literal = LITERALS[char];
    return literal !== undefined && this.#literal(literal);
  }

  #key(): boolean {
    if (this.#text[this.at] !== '"' || !this.#string()) return false;
    this.#space();
    return this.#literal(":");
  }

  #string(): boolean {
    this.at += 1;
    for (;;) {
      const char = this.#text[this.at] ?? "";
      if (char === "" || char < " ") return false;
      this.at += 1;
      if (char === '"') return true;
      if (char === "\\" && !this.#escape()) return false;
    }
  }

  #escape(): boolean {
    const char = this.#text[this.at] ?? "";
    if (char === "u") {
      this.at += 1;
      for (let digits = 0; digits < 4; digits += 1) {
        if (!/[0-9a-fA-F]/.test(this.#text[this.at] ?? "")) return false;
        this.at += 1;
      }
      return true;
    }
    if (char === "" || !'"\\/bfnrt'.includes(char)) return false;
    this.at += 1;
    return true;
  }

  #number(): boolean {
    if (this.#text[this.at] === "-") this.at += 1;
    if (this.#text[this.at] === "0") this.at += 1;
    else if (!this.#digits()) return false;
    if (this.#text[this.at] === ".") {
      this.at += 1;
      if (!this.#digits()) return false;
    }
    if (this.#text[this.at] === "e" || this.#text[this.at] === "E") {
      this.at += 1;
      if (this.#text[this.at] === "+" || this.#text[this.at] === "-") this.at += 1;
      return this.#digits();
    }
    return true;
  }

  #digits(): boolean {
    const start = this.at;
    while (isDigit(this.#text[this.at] ?? "")) this.at += 1;
    return this.at > start;
  }

  #literal(word: string): boolean {
    for (const char of word) {
      if (this.#text[this.at] !== char) return false;
      this.at += 1;
    }
    return true;
  }

  #space(): void {
    while (" \t\n\r".includes(this.#text[this.at] ?? "x")) this.at += 1;
  }
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}
