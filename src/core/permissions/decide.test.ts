import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "./access.js";
import { decide } from "./decide.js";
import type { FileAccess, ResolvedAccess, ShellAccess, WebAccess } from "./resolved-access.js";
import { parseRule, type Rule } from "./rule.js";
import type { SimpleCommand } from "./shell-analysis.js";

const FILE = "permissions.toml";

function rule(effect: Rule["effect"], text: string, line = 1): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const { category, pattern } = parsed;
  const isGrant = effect === "grant";
  const origin = {
    file: isGrant ? null : FILE,
    line: isGrant ? null : line,
    kind: isGrant ? "grant" : "global",
    root: null,
  } as const;
  return { effect, category, pattern, text, origin };
}

function file(category: "Read" | "Write", path: string): FileAccess {
  const whole = `/srv/app/${path}`;
  const base = { exact: true, project: "/srv/app", home: "/var/people/ann" };
  return { category, path, paths: [whole, path], targets: [whole], ...base };
}

function command(words: string, more: Partial<SimpleCommand> = {}): SimpleCommand {
  const plain = {
    unknown: [],
    assignments: [],
    dynamic: false,
    wrappers: [],
    outer: null,
    needsAllow: true,
    elsewhere: [],
  };
  return { words: words.split(" "), text: words, ...plain, ...more };
}

function shell(commands: readonly SimpleCommand[], more: Partial<ShellAccess["analysis"]> = {}): ShellAccess {
  const analysis = { commands, files: [], hosts: [], glimpses: [], hints: [], opaque: null, ...more };
  return {
    category: "Shell",
    command: commands.map(({ text }) => text).join("; "),
    analysis,
    files: [],
    hosts: [],
  };
}

const MCP: ResolvedAccess = { category: "Mcp", server: "github", tool: "get_issue" };
const WEB: WebAccess = { category: "Web", host: "a.internal", hosts: ["a.internal"] };

function verdicts(accesses: readonly ResolvedAccess[], ...rules: readonly Rule[]): Decision["verdict"] {
  return decide(accesses, rules, []).verdict;
}

describe("one thing", () => {
  const ls = [shell([command("ls -l")])];
  const [allow, ask, deny, grant] = (["allow", "ask", "deny", "grant"] as const).map((effect) =>
    rule(effect, "Shell(ls *)"),
  );
  if (!allow || !ask || !deny || !grant) throw new Error("rules are missing");

  test.each([
    [[], "none"],
    [[allow], "allow"],
    [[ask], "ask"],
    [[deny], "deny"],
    [[grant], "allow"],
    [[allow, ask], "ask"],
    [[allow, ask, grant], "allow"],
    [[allow, ask, grant, deny], "deny"],
    [[grant, deny], "deny"],
    [[allow, deny], "deny"],
  ] as const)("%#: %s", (rules, expected) => {
    expect(verdicts(ls, ...rules)).toBe(expected);
    expect(verdicts(ls, ...rules.toReversed())).toBe(expected);
  });
});

describe("what is said", () => {
  test("a deny, with its rule and its file", () => {
    const access = shell([command("sudo rm x"), command("rm x", { outer: 0, wrappers: ["sudo"] })]);
    expect(decide([access], [rule("allow", "Shell"), rule("deny", "Shell(rm *)", 7)], [])).toEqual({
      verdict: "deny",
      rule: "Shell(rm *)",
      file: FILE,
      because: "`Shell(rm *)` in permissions.toml, line 7, denies `rm x`, which sudo would run.",
    });
  });

  test("an allow, for everything in it", () => {
    expect(
      decide(
        [shell([command("ls"), command("pwd")])],
        [rule("allow", "Shell(ls)"), rule("grant", "Shell(pwd)")],
        [],
      ),
    ).toEqual({
      verdict: "allow",
      rule: "Shell(ls)",
      file: FILE,
      because:
        "`Shell(ls)` in permissions.toml, line 1, allows `ls`. `Shell(pwd)` was granted, and covers `pwd`.",
    });
  });

  test("no rule", () => {
    expect(decide([file("Write", "a.ts")], [rule("allow", "Read(**)")], [])).toEqual({
      verdict: "none",
      rule: null,
      file: null,
      because: "No rule is about writing `a.ts`.",
    });
  });

  test("nothing to decide", () => {
    expect(decide([], [rule("allow", "Shell")], [])).toEqual({
      verdict: "none",
      rule: null,
      file: null,
      because: "It does nothing that a rule could be about.",
    });
  });

  test("what an agent wrote is shown on one line, without marks", () => {
    const { because } = decide([file("Read", "a\u001b[2J\n\u202eb")], [], []);
    expect(because).toBe("No rule is about reading `a [2J b`.");
  });
});

describe("a call that does several things", () => {
  const both = [file("Read", "a"), WEB];
  test("is denied when one of them is", () => {
    expect(verdicts(both, rule("allow", "Read"), rule("deny", "Web(*.internal)"))).toBe("deny");
  });
  test("asks when one of them does", () => {
    expect(verdicts(both, rule("allow", "Read"), rule("ask", "Web(*.internal)"))).toBe("ask");
  });
  test("is allowed only when each of them is", () => {
    expect(verdicts(both, rule("allow", "Read"))).toBe("none");
    expect(verdicts(both, rule("allow", "Read"), rule("allow", "Web"))).toBe("allow");
  });
});

describe("a file that cannot be read", () => {
  const flaws = [{ file: "bad.toml", message: "line 3, column 1: expected a value" }];
  test.each(["allow", "grant", "ask"] as const)("makes %s an ask", (effect) => {
    expect(decide([MCP], [rule(effect, "Mcp(github/*)")], flaws)).toEqual({
      verdict: "ask",
      rule: null,
      file: "bad.toml",
      because: "bad.toml cannot be read, so that nothing is allowed: line 3, column 1: expected a value",
    });
  });
  test("makes no rule an ask, and leaves a deny", () => {
    expect(decide([MCP], [], flaws).verdict).toBe("ask");
    expect(decide([], [], flaws).verdict).toBe("ask");
    expect(decide([MCP], [rule("deny", "Mcp(github/*)")], flaws).verdict).toBe("deny");
  });
});

describe("names", () => {
  test.each([
    [MCP, "Mcp(github/get_*)", true],
    [MCP, "Mcp(*/get_issue)", true],
    [MCP, "Mcp(gitlab/*)", false],
    [MCP, "Mcp", true],
    [WEB, "Web(*.internal)", true],
    [WEB, "Web(A.INTERNAL.)", true],
    [WEB, "Web(internal)", false],
    [{ category: "Tool", name: "TodoWrite" }, "Tool(Todo*)", true],
    [{ category: "Tool", name: "TodoWrite" }, "Tool(todowrite)", false],
    [{ category: "Web", host: "::1", hosts: ["::1"] }, "Web([::1])", true],
  ] as const)("%j: %s %s", (access, text, expected) => {
    expect(verdicts([access], rule("allow", text))).toBe(expected ? "allow" : "none");
    expect(verdicts([access], rule("deny", text))).toBe(expected ? "deny" : "none");
  });
});

describe("a line", () => {
  test("needs no allow for what only runs another", () => {
    const line = shell([command("timeout 5 ls", { needsAllow: false }), command("ls", { outer: 0 })]);
    expect(verdicts([line], rule("allow", "Shell(ls)"))).toBe("allow");
    expect(verdicts([line], rule("allow", "Shell(ls)"), rule("ask", "Shell(timeout *)"))).toBe("ask");
    expect(verdicts([line], rule("grant", "Shell(ls)"), rule("ask", "Shell(timeout *)"))).toBe("allow");
    expect(verdicts([line], rule("allow", "Shell(ls)"), rule("deny", "Shell(timeout *)"))).toBe("deny");
  });

  test("is covered to the letter with what is inside, and with a star without it", () => {
    const line = shell([command("sudo ls"), command("ls", { outer: 0 })]);
    expect(verdicts([line], rule("allow", "Shell(sudo ls)"))).toBe("allow");
    expect(verdicts([line], rule("allow", "Shell(sudo *)"))).toBe("none");
  });

  test("that cannot be seen through is never allowed, and never answered by auto mode when something is denied", () => {
    const line = shell([command("ls")], { opaque: "it is strange" });
    expect(decide([line], [rule("allow", "Shell")], [])).toEqual({
      verdict: "none",
      rule: null,
      file: null,
      because: "No rule can allow it: it is strange.",
    });
    expect(verdicts([line], rule("grant", "Shell(ls)"))).toBe("none");
    expect(verdicts([line], rule("allow", "Shell"), rule("deny", "Shell(rm *)"))).toBe("ask");
    expect(verdicts([line], rule("allow", "Shell"), rule("deny", "Mcp"))).toBe("none");
    expect(verdicts([line], rule("deny", "Shell(ls)"))).toBe("deny");
  });

  test("hides a command: two words of it deny, its name alone asks", () => {
    const line = shell([command("python -c x")], { glimpses: [["os", "system", "rm", "-rf", "/"]] });
    const allow = rule("allow", "Shell");
    expect(verdicts([line], allow, rule("deny", "Shell(rm -rf *)"))).toBe("deny");
    expect(verdicts([line], allow, rule("deny", "Shell(rm *)"))).toBe("ask");
    expect(verdicts([line], allow, rule("deny", "Shell(mv -f *)"))).toBe("allow");
  });

  test("may be denied: then it asks, and only a grant to the letter lifts that", () => {
    const computed = shell([command("rm $X", { unknown: [1], dynamic: true })]);
    const deny = rule("deny", "Shell(rm -rf *)");
    expect(verdicts([computed], deny, rule("allow", "Shell"))).toBe("ask");
    expect(verdicts([computed], deny, rule("grant", "Shell(rm *)"))).toBe("ask");
  });

  test("with operands: denies and asks about them hold, allows are not needed", () => {
    const access = file("Read", ".env");
    const use = {
      category: "Read",
      path: ".env",
      exact: true,
      demand: "watch",
      certain: true,
      command: 0,
    } as const;
    const line = { ...shell([command("cat .env")]), files: [{ use, access }] };
    const unsure = { ...line, files: [{ use: { ...use, certain: false }, access }] };
    const allow = rule("allow", "Shell(cat *)");
    expect(verdicts([line], allow)).toBe("allow");
    expect(verdicts([line], allow, rule("deny", "Read(**/.env*)"))).toBe("deny");
    expect(verdicts([unsure], allow, rule("deny", "Read(**/.env*)"))).toBe("ask");
    expect(verdicts([unsure], rule("grant", "Shell(cat .env)"), rule("deny", "Read(**/.env*)"))).toBe(
      "allow",
    );
    expect(verdicts([line], allow, rule("ask", "Read(.env)"))).toBe("ask");
    expect(verdicts([line], rule("grant", "Shell(cat *)"), rule("ask", "Read(.env)"))).toBe("allow");
  });

  test("with a redirection: it must be allowed by itself", () => {
    const access = file("Write", "out");
    const use = {
      category: "Write",
      path: "out",
      exact: true,
      demand: "allow",
      certain: true,
      command: 0,
    } as const;
    const line = { ...shell([command("ls")]), files: [{ use, access }] };
    expect(verdicts([line], rule("allow", "Shell(ls)"))).toBe("none");
    expect(verdicts([line], rule("allow", "Shell(ls)"), rule("allow", "Write(out)"))).toBe("allow");
    expect(verdicts([line], rule("grant", "Shell(ls)"), rule("ask", "Write(out)"))).toBe("ask");
  });
});

test("whatever the rules are, there is a decision, and a deny stands", () => {
  const texts = [
    "Shell",
    "Shell(ls)",
    "Shell(ls *)",
    "Shell(sudo *)",
    "Read",
    "Write(**)",
    "Mcp(*/*)",
    "Web(*)",
    "Tool(*)",
  ];
  const rules = fc.array(
    fc
      .tuple(fc.constantFrom<Rule["effect"]>("allow", "ask", "deny", "grant"), fc.constantFrom(...texts))
      .map(([effect, text]) => rule(effect, text)),
    { maxLength: 6 },
  );
  const accesses = fc.subarray<ResolvedAccess>([
    file("Read", "a"),
    file("Write", "b"),
    shell([command("sudo ls"), command("ls", { outer: 0 })]),
    MCP,
    WEB,
    { category: "Tool", name: "x" },
  ]);
  fc.assert(
    fc.property(accesses, rules, (list, given) => {
      const { verdict } = decide(list, given, []);
      const more = decide(list, [...given, ...texts.map((text) => rule("grant", text))], []).verdict;
      expect(["allow", "ask", "deny", "none"]).toContain(verdict);
      expect(more === "deny").toBe(verdict === "deny");
      expect(decide(list, given.toReversed(), []).verdict).toBe(verdict);
    }),
  );
});

test("a grant goes before an ask about every line", () => {
  const ask = rule("ask", "Shell");
  const both = shell([command("npm test"), command("ls")]);
  expect(verdicts([shell([command("npm test")])], ask)).toBe("ask");
  expect(verdicts([shell([command("npm test")])], ask, rule("grant", "Shell(npm test)"))).toBe("allow");
  expect(verdicts([both], ask, rule("grant", "Shell(npm test)"))).toBe("ask");
  expect(verdicts([both], rule("deny", "Shell"), rule("grant", "Shell"))).toBe("deny");
});
