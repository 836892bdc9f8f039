import { describe, expect, test } from "vitest";
import type { ShellAnalysis, SimpleCommand } from "../../core/index.js";
import { analyzeShell } from "./analyze-shell.js";

function analyze(line: string, shell = "bash"): ShellAnalysis {
  return analyzeShell(line, shell, "/srv/app");
}

const PLAIN: Omit<SimpleCommand, "words" | "text"> = {
  unknown: [],
  assignments: [],
  dynamic: false,
  wrappers: [],
  outer: null,
  needsAllow: true,
  elsewhere: [],
};

test("a plain command", () => {
  expect(analyze("git commit -m 'a b'")).toEqual({
    commands: [{ ...PLAIN, words: ["git", "commit", "-m", "a b"], text: "git commit -m 'a b'" }],
    files: ["commit", "a b"].map((name) => ({
      category: "Read",
      path: `/srv/app/${name}`,
      exact: true,
      demand: "watch",
      certain: true,
      command: 0,
    })),
    hosts: [],
    glimpses: [],
    hints: [],
    opaque: null,
  });
});

test("what runs another, and what it runs", () => {
  expect(analyze("sudo timeout 5 FOO=1 ls $X").commands).toEqual([
    {
      ...PLAIN,
      words: ["sudo", "timeout", "5", "FOO=1", "ls", "$X"],
      text: "sudo timeout 5 FOO=1 ls $X",
      unknown: [5],
      dynamic: true,
    },
    {
      ...PLAIN,
      words: ["timeout", "5", "FOO=1", "ls", "$X"],
      text: "timeout 5 FOO=1 ls $X",
      unknown: [4],
      dynamic: true,
      wrappers: ["sudo"],
      outer: 0,
      needsAllow: false,
    },
    {
      ...PLAIN,
      words: ["FOO=1", "ls", "$X"],
      text: "FOO=1 ls $X",
      unknown: [2],
      dynamic: true,
      wrappers: ["sudo", "timeout"],
      outer: 1,
    },
  ]);
});

test("files of redirections and words, in every folder that may be meant", () => {
  const file = { exact: true, certain: true, command: 1 } as const;
  expect(analyze("cd a; cat b > c").files).toEqual([
    { ...file, command: 0, category: "Read", path: "/srv/app/a", demand: "watch" },
    { ...file, category: "Read", path: "/srv/app/b", demand: "watch" },
    { ...file, category: "Read", path: "/srv/app/a/b", demand: "watch" },
    { ...file, category: "Write", path: "/srv/app/c", demand: "allow" },
    { ...file, category: "Write", path: "/srv/app/a/c", demand: "allow" },
  ]);
});

test("hosts", () => {
  expect(analyze("curl -s a.example; git clone https://b.example/x").hosts).toEqual([
    { host: "a.example", certain: true, command: 0 },
    { host: "b.example", certain: true, command: 1 },
  ]);
});

test("what is in texts, and among the words of a program, may be run", () => {
  const { glimpses, hints, files } = analyze("python3 -c \"run(['rm', '-rf', '.env'])\"");
  expect({ glimpses, hints, files: files.map(({ path, certain }) => [path, certain]) }).toEqual({
    glimpses: [],
    hints: [
      { words: ["-c", "run(['rm', '-rf', '.env'])"], isText: false },
      { words: ["run", "rm", "-rf", ".env"], isText: true },
    ],
    files: [
      ["/srv/app/run(['rm', '-rf', '.env'])", true],
      ["/srv/app/.env", false],
    ],
  });
});

describe("files that stand in a line, as words or in them", () => {
  test.each([
    ["tool --file=.env -I/etc a", ["/srv/app/.env", "/etc", "/srv/app/a"]],
    ["curl -d @.env", ["/srv/app/@.env", "/srv/app/.env"]],
    ["git show HEAD:.env", ["/srv/app/show", "/srv/app/HEAD:.env", "/srv/app/HEAD", "/srv/app/.env"]],
    ["f=.env; x $f", ["/srv/app/.env"]],
    ["for f in a b; do x $f; done", ["/srv/app/a", "/srv/app/b"]],
    ['cat "$D/.env"', ["/srv/app/.env"]],
    ["cat s*/k", ["/srv/app/s*/k"]],
    ["cat $X", []],
    ["ls > /dev/null", []],
  ])("%s", (line, paths) => {
    expect(analyze(line).files.map(({ path }) => path)).toEqual(paths);
  });

  test("programs that only read them, and others", () => {
    const categories = (line: string) => analyze(line).files.map(({ category }) => category);
    expect(categories("cat a")).toEqual(["Read"]);
    expect(categories("cp a b")).toEqual(["Write", "Write"]);
    expect(categories("git diff a")).toEqual(["Read", "Read"]);
    expect(categories("git checkout a")).toEqual(["Write", "Write"]);
  });
});

describe("words", () => {
  test.each([
    ["a''b", ["ab"]],
    ['"a"b', ["ab"]],
    ["a\\ b", ["a b"]],
    ["$'a\\tb'", ["a\tb"]],
    ["{a,b}c", ["ac", "bc"]],
    ["{,a}", ["a"]],
    ["''", [""]],
    ["~/a", ["~/a"]],
    ["a\\\nb", ["ab"]],
  ])("%s", (word, expected) => {
    const [command] = analyze(`echo ${word}`).commands;
    expect({ words: command?.words.slice(1), dynamic: command?.dynamic }).toEqual({
      words: expected,
      dynamic: false,
    });
  });

  test.each(["$a", "`a`", "$(a)", "*", "a?", "[ab]", "{1..3}", "$((1))", "<(a)", "!(a)"])(
    "%s is computed",
    (word) => {
      expect(analyze(`echo ${word}`).commands[0]?.unknown).toEqual([1]);
    },
  );
});

describe("why a line is never allowed", () => {
  test.each([
    ["$X", "the name of a command is computed: $X"],
    ["{ls,-l}", "the name of a command is disguised: ls"],
    ["ls 'a", "it cannot be read: unterminated single quote"],
    ["ls\0", "it has a zero byte"],
    ["source x", "it runs what another file holds"],
    ["PATH=/x ls", "PATH=/x may change which program is run"],
    ["curl x | sh", "sh runs what it reads"],
    ["ls > $X", "the file of a redirection is computed: $X"],
    ["cd $X; ls", "it cannot be seen in which folder the rest runs"],
    ["ls() { x; }; ls", "it defines what ls means"],
    ["echo x > a.sh; sh a.sh", "it writes a.sh, and runs it"],
    ["ln -s / a; echo x > a/b", "it makes links, and opens files that may be behind them"],
  ])("%j", (line, reason) => {
    expect(analyze(line).opaque).toBe(reason);
  });

  test.each([
    ["zsh", "the language of zsh is not read"],
    ["/usr/bin/fish", "the language of fish is not read"],
    ["", "the language of its shell is not read"],
  ])("in %j", (shell, reason) => {
    expect(analyze("ls", shell).opaque).toBe(reason);
  });

  test.each(["[[ a > b ]]", "((a > b))", "ls &> x", "cat <<< x", "ls <(x)", "echo {a,b}", "echo $'a'"])(
    "%s, to a plain sh",
    (line) => {
      expect(analyze(line, "/bin/sh").opaque).toBe("it means something else to other shells than bash");
    },
  );
});

test("what is kept is the same object, for that shell and that folder", () => {
  const first = analyze("ls kept");
  expect(analyze("ls kept")).toBe(first);
  expect(analyzeShell("ls kept", "bash", "/elsewhere")).not.toBe(first);
  expect(analyzeShell("ls kept", "sh", "/srv/app")).not.toBe(first);
});

test("bytes that were no text are not what they were", () => {
  expect(analyze("ls \ufffd").opaque).toBe("it has bytes that are no text");
});

test("a pattern of names behind the home folder begins there", () => {
  const paths = (line: string) => analyze(line).files.map(({ path }) => path);
  expect(paths("cat ~/.ssh/id_*")).toEqual(["~/.ssh/id_*"]);
  expect(paths('cat "$HOME"/.ssh/id_*')).toEqual(["~/.ssh/id_*"]);
  expect(paths("cat '~'/id_*")).toEqual(["/srv/app/\\~/id_*"]);
});
