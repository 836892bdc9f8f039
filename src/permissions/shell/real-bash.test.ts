/* eslint-disable no-template-curly-in-string -- these are expansions of the shell */
/**
 * Real bash runs lines of programs that only write down how they were called. Whatever it ran, the analysis must have
 * seen, with the same words, or have said that the line cannot be seen through.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ShellAnalysis } from "../../core/index.js";
import { analyzeShell } from "./analyze-shell.js";

const BASH = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path));
const PROBES = ["pa", "pb", "pc", "pd"];
const RUNS = 150;
/** Each run starts several processes. */
const TIMEOUT_MS = 240_000;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-bash-"));
  for (const probe of PROBES) {
    // One write for each call, as calls may be at the same time.
    const call = `call=$(printf '%s\\037' "\${0##*/}" "$@"; printf '\\036.')`;
    const script = `#!/bin/sh\n${call}\nprintf '%s' "\${call%.}" >> "${folder}/log"\n`;
    writeFileSync(join(folder, probe), script);
    chmodSync(join(folder, probe), 0o755);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How bash called the probes. */
function run(line: string): readonly (readonly string[])[] {
  rmSync(join(folder, "log"), { force: true });
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, SET: "pa from-a-variable" };
  const { error } = spawnSync(BASH ?? "bash", ["--norc", "-c", line], {
    cwd: folder,
    env,
    timeout: 20_000,
    input: "",
    killSignal: "SIGKILL",
  });
  if (error) throw error;
  if (!existsSync(join(folder, "log"))) return [];
  const calls = readFileSync(join(folder, "log"), "utf8").split("\x1e").slice(0, -1);
  return calls.map((call) => call.split("\x1f").slice(0, -1));
}

/** Whether some command is this call. A computed word may have become any number of words. */
function isSeen({ commands }: ShellAnalysis, call: readonly string[]): boolean {
  return commands.some(({ words, unknown }) => {
    const [name = ""] = words;
    if (unknown.includes(0)) return true;
    if (name.split("/").at(-1) !== call[0]) return false;
    return (
      unknown.length > 0 ||
      (words.length === call.length &&
        words.slice(1).every((each, at) => (each === "~" ? folder : each) === call[at + 1]))
    );
  });
}

const q = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

const word = fc.constantFrom(
  ..."a h''i {l,m} {n..p} *.none ~ $SET \"$SET\" ${SET} ${unset:-q} $((1+2)) -r --s=t '' \"\" $# a#b {,r}".split(
    " ",
  ),
  "'b c'",
  '"d e"',
  "f\\ g",
  "$'j\\tk'",
  '"$(echo s)"',
  "`echo t u`",
);
const name = fc.constantFrom(
  ...PROBES,
  "p''a",
  '"pb"',
  "\\pc",
  "p\\d",
  "./pa",
  "$'pa'",
  "{pa,x}",
  "$SET",
  "p$()b",
);
const command = fc
  .tuple(name, fc.array(word, { maxLength: 4 }))
  .map(([program, words]) => [program, ...words].join(" "));

const { line } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    command,
    fc
      .tuple(tie("line"), tie("line"), fc.constantFrom(" && ", " || ", " ; ", " | ", "\n"))
      .map(([one, other, sign]) => `{ ${one}\n}${sign}{ ${other}\n}`),
    tie("line").chain((inner) =>
      fc.constantFrom(
        `( ${inner}\n)`,
        `pd $( ${inner}\n)`,
        `pd "$( ${inner}\n)"`,
        `pd <( ${inner}\n)`,
        `x=$( ${inner}\n)`,
        `A=1 ${inner}`,
        `if ${inner}\nthen ${inner}\nfi`,
        `for i in 1 2; do ${inner}\ndone`,
        `case x in x) ${inner}\n;; esac`,
        `f() { ${inner}\n}; f`,
        `[[ -n $( ${inner}\n) ]]`,
        `(( $( ${inner}\n) + 1 ))`,
        `pd <<E1\n$( ${inner}\n)\nE1\n`,
        `pd <<< "$( ${inner}\n)"`,
        `pd \${unset:-$( ${inner}\n)}`,
        `eval ${q(inner)}`,
        `bash -c ${q(inner)}`,
        `sh -c ${q(inner)}`,
        `env A=b bash -c ${q(inner)}`,
        `timeout 5 bash -c ${q(inner)}`,
        `nice -n 1 nohup bash -c ${q(inner)}`,
        `echo x y | xargs -n 1 bash -c ${q(inner)}`,
        `find . -maxdepth 0 -exec bash -c ${q(inner)} \\;`,
        `trap ${q(inner)} EXIT`,
        `{ ${inner}\n} > /dev/null 2>&1`,
        `{ pa; } < <( ${inner}\n)`,
        `while read -r x; do pa; done < <( ${inner}\n)`,
        `if true; then pa; fi > >( ${inner}\n)`,
        `{ pa; } <<< "$( ${inner}\n)"`,
        `! { ${inner}\n}`,
        `time { ${inner}\n}`,
        `time -p { ${inner}\n}`,
      ),
    ),
  ),
}));

test.skipIf(BASH === undefined)("the probes write down how they are called", () => {
  expect(run("pa 'b c' && $(echo pb) x; nothing")).toEqual([
    ["pa", "b c"],
    ["pb", "x"],
  ]);
});

test.skipIf(BASH === undefined)(
  "whatever bash runs has been seen, with its words",
  () => {
    let calls = 0;
    let clear = 0;
    fc.assert(
      fc.property(line, (text) => {
        const analysis = analyzeShell(text, "bash", folder);
        const ran = run(text);
        calls += ran.length;
        if (analysis.opaque !== null) return;
        clear += ran.length;
        expect(ran.filter((call) => !isSeen(analysis, call))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    // Otherwise nothing would have been compared.
    expect({ many: calls > RUNS, clear: clear > RUNS / 5 }).toEqual({ many: true, clear: true });
  },
  TIMEOUT_MS,
);

const variable = fc.constantFrom("v", "w", "file");
const value = fc.constantFrom(
  "a",
  "-x",
  "'b c'",
  '"d"',
  "p?",
  "*.none",
  "''",
  "~",
  "$v",
  '"$w"',
  "$(echo s)",
  "{k,l}",
);
const use = variable.chain((of) =>
  fc.constantFrom(
    `pa "$${of}"`,
    `pb $${of}`,
    `pc "\${${of}}" x`,
    `pd x/"$${of}".y`,
    `pa \${${of}%d} "\${${of}:-z}"`,
    `pb "$v$w"`,
  ),
);
/** The same name to bash. */
const disguised = (of: string): string => `${of.slice(0, 1)}""${of.slice(1)}`;
const given = fc
  .tuple(variable, value)
  .chain(([of, to]) =>
    fc.constantFrom(
      ...[
        `${of}=${to}`,
        `${of}+=${to}`,
        `export ${of}=${to}`,
        `declare ${of}=${to}`,
        `(${of}=${to})`,
        `unset ${of}`,
      ],
      ...[
        `read -r ${of} <<< ${to}`,
        `printf -v ${of} %s ${to}`,
        `printf -v${of} %s ${to}`,
        `: "\${${of}:=${to}}"`,
      ],
      ...[
        `false && ${of}=${to}`,
        `true || ${of}=${to}`,
        `if false; then ${of}=${to}; fi`,
        `${of}=${to} true`,
      ],
      ...[
        `${of}=${to} &`,
        `g() { ${of}=${to}; }`,
        "g",
        `eval "${of}=e"`,
        `declare -n r=${of}; r=n`,
        `let ${of}=3`,
      ],
      ...[
        `((${of}=4))`,
        `mapfile ${of} <<< m`,
        `name=${of}; read -r $name <<< i`,
        `x=$((${of}=5))`,
        `trap '${of}=t' DEBUG`,
      ],
      ...[
        `read -r ${disguised(of)} <<< ${to}`,
        `export ${disguised(of)}=${to}`,
        `printf -v ${disguised(of)} %s ${to}`,
        `eval '${of.slice(0, 1)}'${of.slice(1)}=e`,
        `${of.slice(0, 1)}\\\n${of.slice(1)}=${to}`,
      ],
    ),
  );
const { steps } = fc.letrec<{ steps: string }>((tie) => ({
  steps: fc
    .array(
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        use,
        given,
        fc
          .tuple(variable, fc.array(value, { minLength: 1, maxLength: 3 }), tie("steps"))
          .map(([of, words, inner]) => `for ${of} in ${words.join(" ")}; do ${inner}\ndone`),
        tie("steps").chain((inner) =>
          fc.constantFrom(
            `( ${inner}\n)`,
            `g() { ${inner}\n}`,
            `if true; then ${inner}\nfi`,
            `pd "$( ${inner}\n)"`,
            `bash -c ${q(inner)}`,
            `sh -c ${q(inner)}`,
            `eval ${q(inner)}`,
          ),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .chain((each) => fc.constantFrom(each.join("\n"), each.join(" && "), each.join("; "))),
}));

const simple = fc
  .tuple(variable, value, value, fc.array(use, { minLength: 1, maxLength: 3 }))
  .chain(([of, one, other, uses]) =>
    fc.constantFrom(
      `for ${of} in ${one} ${other}; do ${uses.join("; ")}; done`,
      `${of}=${one}; ${uses.join(" && ")}`,
    ),
  )
  .chain((text) => fc.constantFrom(text, `bash -lc ${q(text)}`, `v=outside; sh -c ${q(text)}`));

test.skipIf(BASH === undefined)(
  "whatever bash runs has been seen where a line gives values to its variables",
  () => {
    fc.assert(
      fc.property(fc.oneof(simple, steps), (text) => {
        const analysis = analyzeShell(text, "bash", folder);
        if (analysis.opaque !== null) return;
        const ran = run(text);
        expect(ran.filter((call) => !isSeen(analysis, call))).toEqual([]);
      }),
      { numRuns: RUNS * 2 },
    );
  },
  TIMEOUT_MS,
);
