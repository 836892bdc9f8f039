/**
 * What the demo can do in the repository that `signalbox tour` makes: small edits, chosen by the words of the message and
 * written down here. Anywhere else it says that it cannot.
 */
import type { Json } from "../../core/index.js";
import type { ToolResultPart } from "./model.js";

export type DemoStep =
  | { readonly think: string }
  | { readonly say: string }
  | { readonly call: string; readonly input: Json }
  /** Fails once, so that the retry is seen. */
  | { readonly stumble: string };

export interface DemoTurn {
  readonly text: string;
  /** Of its calls since the person spoke. */
  readonly results: readonly ToolResultPart[];
  /** Whether it is the demo that makes a mistake, so that a race has something to find out. */
  readonly isHasty: boolean;
}

type Answer = readonly DemoStep[];
type Script = (turn: DemoTurn) => readonly Answer[];

const SCRIPTS: readonly (readonly [RegExp, Script])[] = [
  [/\b7:75\b/, refuseTimes],
  [/\bname the time\b/i, nameTheTime],
  [/\bwrite a readme\b/i, writeReadme],
  [/\bexplain the code\b/i, explainCode],
  [/\bsort the board\b/i, sortBoard],
];

/** Null: the message is about something else. */
export function demoScript(turn: DemoTurn): readonly DemoStep[] | null {
  const [, script] = SCRIPTS.find(([words]) => words.test(turn.text)) ?? [];
  if (script === undefined) return null;
  const [first, ...others] = turn.results;
  if (first === undefined) return [...greeting(turn), read("package.json")];
  if (!first.content.includes('"signalbox-tour"'))
    return [{ say: "I am a script: I can do this only in the repository that signalbox tour makes." }];
  if (others.some(({ isError }) => isError)) return [{ say: "That was not done, so I stop here." }];
  const answers = script(turn);
  return answers[Math.min(others.length, answers.length - 1)] ?? [];
}

function greeting({ text }: DemoTurn): Answer {
  const isReview = text.startsWith("Review of your changes");
  return [{ say: isReview ? "Thank you for the review." : "I am the demo: a script, not a model." }];
}

function read(path: string): DemoStep {
  return { call: "read_file", input: { file_path: path } };
}

function edit(path: string, before: string, after: string): DemoStep {
  return { call: "edit_file", input: { file_path: path, old_string: before, new_string: after } };
}

function refuseTimes(): readonly Answer[] {
  const sum = "  return hours * 60 + rest;\n";
  return [
    [{ say: "Let me look at the clock." }, read("src/clock.js")],
    [
      { think: "Hours end at 23, minutes at 59." },
      { say: "Nothing looks at the numbers. I would like to change that; you decide." },
      edit("src/clock.js", sum, `  if (!(hours < 24 && rest < 60)) throw new RangeError("no time");\n${sum}`),
    ],
    [{ say: "7:75 is refused now, and so is 24:00." }],
  ];
}

function nameTheTime(): readonly Answer[] {
  const test = `
test("what is no time is refused by its name", () => {
  assert.throws(() => minutes("7:75"), /7:75 is no time/);
});
`;
  const last = '  assert.equal(minutes("0:00"), 0);\n});\n';
  return [
    [read("src/clock.js")],
    [edit("src/clock.js", '"no time"', `\`\${time} is no time\``)],
    [{ say: "And a test for it." }, read("test/clock.test.js")],
    [edit("test/clock.test.js", last, `${last}${test}`)],
    [{ say: "The error names the time, and a test holds it to that." }],
  ];
}

function writeReadme({ results }: DemoTurn): readonly Answer[] {
  const readers = results[1]?.content ?? "";
  const content = `# Departures\n\nA board of trains, for ${readers}.\n\n    node --test\n`;
  return [
    [
      { say: "One thing only you know." },
      { call: "ask_user", input: { question: "Who will read it?", choices: ["passengers", "developers"] } },
    ],
    [{ call: "write_file", input: { file_path: "README.md", content } }],
    [{ say: `README.md is written for ${readers}.` }],
  ];
}

function explainCode(): readonly Answer[] {
  const content = "# Notes\n\n- src/clock.js reads a time.\n- src/board.js prints a line for each train.\n";
  return [
    [
      { think: "There are two files, and each does one thing." },
      {
        say:
          "There are two files. src/clock.js turns a time such as 7:05 into minutes since midnight. src/board.js " +
          "prints one line for each train, in the order in which they come. I keep that in a file.",
      },
      { call: "write_file", input: { file_path: "NOTES.md", content } },
    ],
    [{ say: "NOTES.md is written." }],
  ];
}

function sortBoard({ isHasty }: DemoTurn): readonly Answer[] {
  const order = isHasty
    ? "(one, other) => (one.time < other.time ? -1 : 1)"
    : "(one, other) => minutes(one.time) - minutes(other.time)";
  const before = "/** One line for each train. */\nexport function board(trains) {\n  return trains.map(";
  const after =
    (isHasty ? "" : 'import { minutes } from "./clock.js";\n\n') +
    "/** One line for each train, by time. */\nexport function board(trains) {\n" +
    `  const sorted = [...trains].sort(${order});\n  return sorted.map(`;
  return [
    [read("src/board.js")],
    [edit("src/board.js", before, after)],
    [
      {
        say: isHasty
          ? "Sorted, by comparing the times as texts."
          : "Sorted, by comparing the minutes since midnight.",
      },
    ],
  ];
}
