/**
 * Whether a program of awk surely only computes and prints. `>` and `|` compare and choose as well as they write and run:
 * what they are is seen from where they stand, and when in doubt a person is asked.
 */

const SPACE = /[ \t\r]*(?:#[^\n]*)?/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d+(?:\.\d*)?|\.\d+/y;
/** A slash in brackets is the end of it to some. */
const REGEX = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^\]\\/\n]|\\[^\]\n])*\])+\//y;
const SIGN = /\|\||&&|\+\+|--|>=|[-+*%^=!~?:,;<>(){}[\]$\n]/y;

/** They run programs, open files, or tell what is around. */
const REACHES_OUT = new Set(
  "system getline close fflush ENVIRON PROCINFO ARGV ARGC SYMTAB FUNCTAB".split(" "),
);
/** Behind these a slash begins an expression. */
const BEFORE_EXPRESSION = new Set("print printf return case else do in exit".split(" "));

/** What a slash would be behind the newest token: a division, the begin of an expression, or one of both. */
type Slash = "divides" | "begins" | "unsure";

export function isPlainAwk(program: string): boolean {
  return new AwkReader(program).isPlain();
}

class AwkReader {
  private at = 0;
  private slash: Slash = "begins";
  private braces = 0;
  private parens = 0;

  constructor(private readonly program: string) {}

  isPlain(): boolean {
    for (this.take(SPACE); this.at < this.program.length; this.take(SPACE)) {
      if (!this.isTokenPlain()) return false;
    }
    return this.braces === 0 && this.parens === 0;
  }

  private take(token: RegExp): string | null {
    token.lastIndex = this.at;
    const found = token.exec(this.program)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  private isTokenPlain(): boolean {
    if (this.program[this.at] === "/") return this.isSlashPlain();
    const name = this.take(NAME);
    if (name !== null) {
      this.slash = name === "length" ? "unsure" : BEFORE_EXPRESSION.has(name) ? "begins" : "divides";
      return !REACHES_OUT.has(name);
    }
    if (this.take(STRING) !== null || this.take(NUMBER) !== null) {
      this.slash = "divides";
      return true;
    }
    const sign = this.take(SIGN);
    return sign !== null && this.isSignPlain(sign);
  }

  private isSlashPlain(): boolean {
    if (this.slash === "unsure") return false;
    if (this.slash === "begins") {
      this.slash = "unsure";
      return this.take(REGEX) !== null;
    }
    this.at += 1;
    this.slash = "begins";
    return true;
  }

  private isSignPlain(sign: string): boolean {
    this.slash = "begins";
    switch (sign) {
      case "(":
        this.parens += 1;
        return true;
      case ")":
        this.parens -= 1;
        this.slash = "unsure";
        return this.parens >= 0;
      case "{":
        this.braces += 1;
        return this.parens === 0;
      case "}":
        this.braces -= 1;
        return this.parens === 0 && this.braces >= 0;
      case "]":
        this.slash = "divides";
        return true;
      case "++":
      case "--":
        this.slash = "unsure";
        return true;
      case ">":
        // Only what is printed goes into a file, and only in an action.
        return this.program[this.at] !== ">" && (this.braces === 0 || this.parens > 0);
      default:
        return true;
    }
  }
}
