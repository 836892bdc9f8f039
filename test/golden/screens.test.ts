import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  OTHER_AGENTS,
  readScreen,
  sawGoodbye,
  SCREEN_AGENTS,
  type Screen,
  type ScreenAgent,
} from "../../src/core/index.js";
import { matchGolden } from "./golden.js";
import { loadScreens, type SavedScreen } from "./saved-screens.js";

const FOLDER = new URL("./screens/", import.meta.url);
/** Of the agents that most people use: what was newest, what is pinned, and what is older. */
const VERSIONS = {
  claude: ["2.1.326", "2.1.325", "2.1.300"],
  codex: ["0.169.0", "0.166.0", "0.154.0"],
  gemini: ["0.61.0", "0.51.0"],
  opencode: ["1.18.33", "1.17.11"],
  qwen: ["0.24.4", "0.15.10"],
  copilot: ["1.0.102"],
} as const;

const SCREENS = await loadScreens(FOLDER);

function screenNamed(name: string): SavedScreen {
  const found = SCREENS.find((saved) => saved.name === name);
  if (!found) throw new Error(`there is no screen ${name}`);
  return found;
}

const promptOf = ({ agent, screen }: SavedScreen) => readScreen(agent, screen).prompt;
const isAsking = ({ activity }: SavedScreen) => activity === "approval" || activity === "question";

test("there are screens of every agent, at three widths, and none is forgotten", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ansi"),
  );
  expect(SCREENS.map(({ name }) => `${name}.ansi`).sort()).toEqual(files.sort());
  for (const agent of SCREEN_AGENTS) {
    const widths = SCREENS.filter((saved) => saved.agent === agent).map(({ cols }) => cols);
    expect([agent, widths]).toEqual([agent, expect.arrayContaining([60, 80, 120])]);
  }
});

/** Nobody has tuned anything to them: they are read as what they are, or not at all. */
const isHeldBack = ({ agent }: SavedScreen) => OTHER_AGENTS.some((name) => name === agent);

test.each(SCREENS)("$name shows $activity", (saved) => {
  const { activity: read } = readScreen(saved.agent, saved.screen);
  expect(read).toBe(saved.covered || (isHeldBack(saved) && read === "unknown") ? "unknown" : saved.activity);
});

test("the newest, the pinned and an older version of the main agents, at four widths", () => {
  const seen = new Set(SCREENS.map(({ agent, version, cols }) => `${agent} ${version} ${cols}`));
  const wanted = Object.entries(VERSIONS).flatMap(([agent, versions]) =>
    versions.flatMap((version) => [60, 80, 120, 200].map((cols) => `${agent} ${version} ${cols}`)),
  );
  expect(wanted.filter((each) => !seen.has(each))).toEqual([]);
});

describe("held back", () => {
  test("there are agents of whom nothing but the name is known", () => {
    const held = new Set(SCREENS.filter(isHeldBack).map(({ agent }) => agent));
    expect([...held].sort()).toEqual(["amp", "auggie", "cline", "droid", "open-codex"]);
  });

  const played = SCREENS.filter(({ agent }) => agent !== null);

  test("without its rules an agent's screen is unknown, or a question where it asks", () => {
    const wrong = played.flatMap((saved) => {
      const { activity } = readScreen("stranger", saved.screen);
      return activity === "unknown" || (activity === "question" && isAsking(saved))
        ? []
        : [[saved.name, activity]];
    });
    expect(wrong).toEqual([]);
  });

  test("four of five dialogs are seen by their structure alone", () => {
    const asking = played.filter(isAsking);
    const found = asking.filter(({ screen }) => readScreen("stranger", screen).activity === "question");
    expect(found.length / asking.length).toBeGreaterThan(0.8);
  });
});

describe("whole readings", () => {
  const folders = [...new Set(SCREENS.map(({ folder }) => folder))];
  test.each(folders)("%s", (folder) => {
    const lines = SCREENS.filter((saved) => saved.folder === folder).map((saved) => {
      return `${JSON.stringify(saved.file)}: ${JSON.stringify(readScreen(saved.agent, saved.screen))}`;
    });
    matchGolden(`screens/${folder}/readings.json`, `{\n${lines.join(",\n")}\n}\n`);
  });
});

describe("prompts", () => {
  test("every approval and question has one, and nothing else has", () => {
    const known = SCREENS.filter((saved) => !isHeldBack(saved) || promptOf(saved) !== null);
    const wrong = known.filter((saved) => (promptOf(saved) !== null) !== isAsking(saved));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("every approval can be rejected, and approved where the way to do so is in sight", () => {
    const approvals = SCREENS.filter(
      ({ activity, name }) => activity === "approval" && !name.endsWith("-step"),
    );
    expect(approvals.length).toBeGreaterThan(60);
    for (const saved of approvals) {
      const meanings = promptOf(saved)?.choices.map(({ meaning }) => meaning) ?? [];
      const isCutOff = saved.rows < 20 && ["kilo", "opencode"].includes(saved.agent ?? "");
      const expected = isCutOff ? ["reject"] : ["approve", "reject"];
      expect([saved.name, meanings]).toEqual([saved.name, expect.arrayContaining(expected)]);
    }
  });

  test("no two choices have the same keys", () => {
    for (const saved of SCREENS) {
      const keys = promptOf(saved)?.choices.map((choice) => choice.keys) ?? [];
      expect([saved.name, new Set(keys).size]).toEqual([saved.name, keys.length]);
    }
  });
});

describe("fingerprints", () => {
  test("stay while the same prompt is shown", () => {
    const pairs: readonly (readonly [string, string])[] = [
      ["recorded-claude/07-permission-prompt", "recorded-claude/08-permission-prompt-after-7s"],
      ["recorded-claude/01-trust-dialog", "recorded-claude/02-trust-yes-selected"],
      ["recorded-kilo/08-edit-permission-prompt", "recorded-kilo/10-permission-escaped-2"],
      ...SCREENS.filter(({ name }) => name.endsWith("/06-permission-later")).map(({ name }) => {
        return [name.replace("06-permission-later", "05-permission"), name] as const;
      }),
    ];
    expect(pairs.length).toBeGreaterThan(15);
    for (const [first, second] of pairs) {
      const [one, other] = [promptOf(screenNamed(first)), promptOf(screenNamed(second))];
      expect([first, one?.fingerprint]).toEqual([first, other?.fingerprint ?? "none"]);
    }
  });

  test("differ from one prompt of an agent to the next", () => {
    const seen = new Map<string, string>();
    for (const saved of SCREENS.filter(isAsking)) {
      const prompt = promptOf(saved);
      if (!prompt) continue;
      const words = bare(`${prompt.title} ${prompt.detail}`);
      expect(seen.get(prompt.fingerprint) ?? words).toBe(words);
      seen.set(prompt.fingerprint, words);
    }
    expect(seen.size).toBeGreaterThan(40);
  });

  const bare = (text: string) => text.replace(/\s/g, "");
});

describe("no agent", () => {
  test("nothing is an approval or a question where no agent runs", () => {
    const activities = SCREENS.map(({ screen }) => readScreen(null, screen).activity);
    expect(new Set(activities)).toEqual(new Set(["shell", "unknown"]));
  });

  test("the rules of another agent never take a screen for idle", () => {
    // Agents of one family look alike; their rules are meant to agree.
    const families: readonly (readonly string[])[] = [["opencode", "kilo"]];
    const related = (a: string | null, b: string) =>
      a === b || families.some((f) => f.includes(a ?? "") && f.includes(b));
    for (const saved of SCREENS.filter(({ activity }) => activity !== "idle")) {
      for (const agent of SCREEN_AGENTS.filter((name) => !related(saved.agent, name))) {
        const { activity } = readScreen(agent, saved.screen);
        expect([saved.name, agent, activity === "idle"]).toEqual([saved.name, agent, false]);
      }
    }
  });
});

describe("look-alikes", () => {
  /** The row in which each agent's input begins, and what stands before the rows that a person types below it. */
  const INPUTS: Readonly<Record<ScreenAgent, readonly [RegExp, string]>> = {
    claude: [/^❯/, "  "],
    codex: [/^›/, "  "],
    gemini: [/^ >/, "   "],
    qwen: [/^>/, "  "],
    copilot: [/^❯/, "  "],
    opencode: [/^ {2}┃$/, "  ┃  "],
    kilo: [/^ {2}┃$/, "  ┃  "],
    pi: [/^$/, ""],
    kimi: [/^ │ >/, " │   "],
    cn: [/^│ ●/, "│   "],
    grok: [/^ {2}│ ❯/, "  │   "],
    nanocoder: [/^┃ >/, "┃ "],
  };

  function shotOf(agent: ScreenAgent, file: string): Screen {
    const found = SCREENS.find(
      (saved) => saved.agent === agent && saved.cols === 80 && saved.rows === 24 && saved.file === file,
    );
    if (!found) throw new Error(`there is no ${file} of ${agent}`);
    return found.screen;
  }

  /** What an agent shows when it is idle, with the last rows of its own dialog typed into its input box. */
  function typed(agent: ScreenAgent, count: number): Screen {
    const screen = shotOf(agent, "08-idle-after-turn.ansi");
    // Pi has no dialog of its own.
    const dialog = shotOf(agent === "pi" ? "claude" : agent, "05-permission.ansi");
    const [first, indent] = INPUTS[agent];
    const end = screen.rows.findLastIndex((row) => row !== "");
    const at = screen.rows.findLastIndex((row, index) => index < end && first.test(row));
    const rows = dialog.rows
      .filter((row) => row !== "")
      .slice(-count)
      .map((row) => indent + row);
    // As much is scrolled away as there is.
    const gone = Math.min(count, Math.max(0, at - 1));
    const moved = (spans: Screen["faint"]) =>
      (spans ?? []).map((span) => {
        return { ...span, row: span.row + (span.row <= at ? 0 : count) - gone };
      });
    return {
      ...screen,
      rows: [...screen.rows.slice(gone, at + 1), ...rows, ...screen.rows.slice(at + 1)],
      faint: moved(screen.faint),
      highlights: moved(screen.highlights),
    };
  }

  test.each(SCREEN_AGENTS)("%s: a dialog that a person typed is text in the input box", (agent) => {
    for (let count = 1; count < 12; count += 1) {
      const { activity, input } = readScreen(agent, typed(agent, count));
      expect([count, activity, typeof input]).toEqual([count, "idle", "string"]);
    }
  });

  test.each(SCREEN_AGENTS)("%s: neither printed nor said is it a dialog", (agent) => {
    const printed = SCREENS.filter(({ name, agent: whose, covered }) => {
      return whose === agent && name.includes("lookalike") && !covered;
    });
    expect(printed.length).toBeGreaterThan(3);
    const activities = printed.map(({ screen }) => readScreen(agent, screen).activity);
    expect(activities.filter((activity) => activity !== "idle" && activity !== "working")).toEqual([]);
  });
});

describe("goodbye", () => {
  const gone = SCREENS.filter(({ goodbye }) => goodbye !== undefined);

  test("is seen of every agent once it has ended, and never before", () => {
    const silent = ["pi", "cn", "grok", "nanocoder"];
    expect(new Set(gone.map(({ goodbye }) => goodbye))).toEqual(
      new Set(SCREEN_AGENTS.filter((agent) => !silent.includes(agent))),
    );
    for (const { name, goodbye = "", screen } of gone) {
      expect([name, sawGoodbye(goodbye, screen), readScreen(goodbye, screen).activity]).toEqual([
        name,
        true,
        "shell",
      ]);
    }
    for (const { name, agent, screen } of SCREENS.filter(({ goodbye }) => goodbye === undefined)) {
      expect([name, sawGoodbye(agent ?? "claude", screen)]).toEqual([name, false]);
    }
  });

  test("a prompt without a goodbye proves nothing", () => {
    const { screen } = screenNamed("shell-80x24/01-bash-idle");
    expect(SCREEN_AGENTS.map((agent) => readScreen(agent, screen).activity)).toEqual(
      SCREEN_AGENTS.map(() => "unknown"),
    );
  });
});

describe("broken screens", () => {
  /** The same screen without its last rows, as if it were still being drawn. */
  function cut(screen: Screen, count: number): Screen {
    const end = screen.rows.findLastIndex((row) => row !== "") + 1;
    return { ...screen, rows: screen.rows.map((row, at) => (at >= end - count ? "" : row)) };
  }

  test("a dialog that is cut off is never idle", () => {
    for (const saved of SCREENS.filter(isAsking)) {
      for (let count = 1; count < saved.rows; count += 1) {
        const { activity } = readScreen(saved.agent, cut(saved.screen, count));
        expect([saved.name, count, activity === "idle"]).toEqual([saved.name, count, false]);
      }
    }
  });
});
