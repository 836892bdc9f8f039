/** What holds for every line, however it is written. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, suggestRules, type Rule } from "../../src/core/index.js";
import { resolveAccesses } from "../../src/permissions/resolve/resolve-accesses.js";
import { analyzeShell } from "../../src/permissions/shell/analyze-shell.js";
import { decideLine, HOME, PROJECT, rulesOf } from "../wall/corpus/decide-line.js";

/** Everything is allowed, but for one thing. */
const NO_RM = { allow: ["Shell", "Read", "Write"], deny: ["Shell(rm -rf *)"] };

const PIECES = [
  ..."rm -rf / ls echo $( ) ` ' \" \\ ; & | && || < > >> << <<< { } ( ) (( )) [[ ]] $ ${ x = # ! * ? [ ] ~ \n \t".split(
    " ",
  ),
  "EOF",
  "$'",
  " ",
  "if",
  "then",
  "fi",
  "for",
  "do",
  "done",
  "case",
  "in",
  "esac",
  "function",
  "eval",
  "bash -c",
];

const shellish = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
const junk = fc.oneof(shellish, fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 200 }));

const CONTEXT = { cwd: PROJECT, projectDir: PROJECT, homeDir: HOME };

function resolved(command: string): ReturnType<typeof resolveAccesses> {
  return resolveAccesses([{ category: "Shell", command, shell: "bash" }], CONTEXT);
}

describe("any text", () => {
  test("is read without an error, and always in the same way", () => {
    fc.assert(
      fc.property(junk, fc.constantFrom("bash", "sh", "fish", ""), (line, shell) => {
        const analysis = analyzeShell(line, shell, PROJECT);
        expect(analyzeShell(line, shell, PROJECT)).toEqual(analysis);
        for (const { outer, words } of analysis.commands) {
          expect(words.length).toBeGreaterThan(0);
          expect(outer === null || outer < analysis.commands.length).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("is decided, and allowed only if it can be seen through", () => {
    const rules = rulesOf(NO_RM);
    fc.assert(
      fc.property(junk, (line) => {
        const accesses = resolved(line);
        const { verdict, because } = decide(accesses, rules, []);
        expect(because).not.toBe("");
        const [access] = accesses;
        if (access?.category === "Shell" && access.analysis.opaque !== null)
          expect(verdict).not.toBe("allow");
      }),
      { numRuns: 2_000 },
    );
  });

  test("is covered by the rules that are suggested for it, and by none of them when there is more", () => {
    const denied = rulesOf({ deny: ["Shell(zzz)"] });
    fc.assert(
      fc.property(junk, (line) => {
        const accesses = resolved(line);
        const suggested = suggestRules(accesses);
        if (suggested.length === 0) return;
        const rules = [...denied, ...rulesOf({ allow: suggested })];
        expect(decide(accesses, rules, []).verdict).toBe("allow");
        expect(decide(resolved(`${line}\nzz more`), rules, []).verdict).not.toBe("allow");
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Ways to write one word so that bash still reads the same. */
const QUOTINGS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `\\${word}`,
  (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  (word) => `$'${Array.from(word, (char) => `\\x${char.charCodeAt(0).toString(16)}`).join("")}'`,
];

/** Ways to run a line from another one. `q` puts it into single quotes. */
const q = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;
const WRAPPINGS: readonly ((line: string) => string)[] = [
  (line) => `ls; ${line}`,
  (line) => `ls && ${line}`,
  (line) => `{ ${line}\n} || true`,
  (line) => `true | {\n${line}\n}`,
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `echo $( ${line}\n)`,
  (line) => `echo "$( ${line}\n)"`,
  (line) => `cat <( ${line}\n)`,
  (line) => `x=$( ${line}\n)`,
  (line) => `! {\n${line}\n}`,
  (line) => `time {\n${line}\n}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `for i in 1 2; do ${line}\ndone`,
  (line) => `while ${line}\ndo break; done`,
  (line) => `case a in *) ${line}\n;; esac`,
  (line) => `f() { ${line}\n}`,
  (line) => `[[ -n $( ${line}\n) ]]`,
  (line) => `echo $((1 + $( ${line}\n)))`,
  (line) => `cat <<X1\n$( ${line}\n)\nX1\n`,
  (line) => `echo \${x:-$( ${line}\n)}`,
  (line) => `bash -c ${q(line)}`,
  (line) => `sh -c ${q(line)}`,
  (line) => `eval ${q(line)}`,
  (line) => `trap ${q(line)} EXIT`,
  (line) => `sudo -u ann bash -c ${q(line)}`,
  (line) => `env -i A=b bash -c ${q(line)}`,
  (line) => `timeout 5 bash -c ${q(line)}`,
  (line) => `nohup nice -n 3 bash -c ${q(line)} &`,
  (line) => `echo x | xargs -n 1 bash -c ${q(line)}`,
  (line) => `find . -exec bash -c ${q(line)} \\;`,
  (line) => `watch ${q(line)}`,
  (line) => `su -c ${q(line)}`,
  (line) => `flock x -c ${q(line)}`,
  (line) => `script -qc ${q(line)} out`,
  (line) => `coproc { ${line}\n}`,
  (line) => `{ ${line}\n} > /dev/null 2>&1`,
];

const TARGETS = [
  ["rm", "-rf", "/"],
  ["rm", "-fr", "/"],
  ["rm", "-r", "-f", "/"],
  ["/bin/rm", "--recursive", "--force", "/"],
];

/** A heredoc of a line with a heredoc, or a comment in quotes, may mean something else: it then denies, or asks. */
const hidden = fc
  .tuple(
    fc.constantFrom(...TARGETS),
    fc.array(fc.constantFrom(...QUOTINGS), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom(...WRAPPINGS), { maxLength: 5 }),
  )
  .map(([words, quotings, wrappings]) => {
    const line = words.map((word, index) => (quotings[index] ?? String)(word)).join(" ");
    return wrappings.reduce((inner, wrap) => wrap(inner), line);
  });

test("a denied command is denied, however it is quoted and wrapped", () => {
  fc.assert(
    fc.property(hidden, (command) => {
      expect(decideLine({ command, rules: NO_RM }).verdict).toBe("deny");
    }),
    { numRuns: 500 },
  );
});

test.each(WRAPPINGS)("%s: a denied command is denied five levels down", (wrap) => {
  const command = [1, 2, 3, 4, 5].reduce(wrap, "rm $'\\x2d\\x72\\x66' /");
  expect(decideLine({ command, rules: NO_RM }).verdict).toBe("deny");
});

test("rules cannot be undone by more rules that allow", () => {
  const texts = [
    "Shell",
    "Shell(rm *)",
    "Shell(rm -rf /)",
    "Shell(sudo *)",
    "Shell(bash *)",
    "Shell(*)",
    "Write",
    "Read",
  ];
  const effects = fc.constantFrom<Rule["effect"]>("allow", "grant", "ask");
  fc.assert(
    fc.property(hidden, fc.array(fc.tuple(fc.constantFrom(...texts), effects)), (command, more) => {
      const added = more.flatMap(([text, effect]) =>
        rulesOf({ allow: [text] }).map((rule) => ({ ...rule, effect })),
      );
      expect(decide(resolved(command), [...added, ...rulesOf(NO_RM)], []).verdict).toBe("deny");
    }),
    { numRuns: 200 },
  );
});
