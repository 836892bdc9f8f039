/** What came of killing an agent again and again: a table in which each kill stands. */

/** Where in a delivery it is to be killed. */
export const POINTS = [
  "queued",
  "before it is shown",
  "in the paste",
  "before Enter",
  "after Enter",
  "anywhere",
] as const;
export type Point = (typeof POINTS)[number];

/**
 * How far the delivery had come when it was killed. `handed over`: the shell is not frozen yet; `held`: it is, and nothing of
 * the message is on the screen; `pasted`: it stands in the input box; `entered`: the model was asked.
 */
export type Stage = "queued" | "handed over" | "held" | "pasted" | "entered" | "taken";

export interface Kill {
  readonly point: Point;
  readonly stage: Stage;
  /** What became of the message. */
  readonly fate: "returned" | "taken";
  /** Of the message, unread when the agent died, and taken out of the terminal before the shell went on. */
  readonly takenBackBytes: number;
  /** What stood in the line of the shell: of the message nothing may. */
  readonly shellLine: string;
}

/** Whether it died where it was to die. */
export function isHit({ point, stage, takenBackBytes }: Kill): boolean {
  switch (point) {
    case "queued":
      return stage === "queued";
    case "before it is shown":
      // Some of a short message may be in the terminal by then, which is all the better.
      return stage === "handed over" || stage === "held";
    case "in the paste":
      return takenBackBytes > 0;
    case "before Enter":
      return stage === "pasted";
    case "after Enter":
      return stage === "entered" || stage === "taken";
    case "anywhere":
      return true;
  }
}

/** The point that was hit least often so far; of those the one that was tried least often, so that none starves another. */
export function nextPoint(kills: readonly Kill[]): Point {
  const hits = hitsOf(kills);
  const tries = (point: Point) => kills.filter((kill) => kill.point === point).length;
  return POINTS.reduce((least, point) => {
    const fewer = hits[point] - hits[least] || tries(point) - tries(least);
    return fewer < 0 ? point : least;
  });
}

export function hitsOf(kills: readonly Kill[]): Readonly<Record<Point, number>> {
  const count = (point: Point) => kills.filter((kill) => kill.point === point && isHit(kill)).length;
  return Object.fromEntries(POINTS.map((point) => [point, count(point)])) as Record<Point, number>;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** How often each, in the order in which they came. */
function counted(words: readonly string[]): string {
  return [...new Set(words)]
    .map((word) => `${words.filter((each) => each === word).length} ${word}`)
    .join(", ");
}

export function tableOf(kills: readonly Kill[]): string {
  const head = [
    "killed",
    "kills",
    "hit",
    "taken back",
    "in the shell",
    "the messages",
    "how far it had come",
  ];
  const rowOf = (name: string, some: readonly Kill[]) => [
    name,
    String(some.length),
    String(some.filter(isHit).length),
    `${sum(some.map(({ takenBackBytes }) => takenBackBytes))} bytes`,
    `${sum(some.map(({ shellLine }) => shellLine.length))} bytes`,
    counted(some.map(({ fate }) => fate)),
    counted(some.map(({ stage }) => stage)),
  ];
  const rows = [
    head,
    ...POINTS.map((point) =>
      rowOf(
        point,
        kills.filter((kill) => kill.point === point),
      ),
    ),
    rowOf("all", kills),
  ];
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
