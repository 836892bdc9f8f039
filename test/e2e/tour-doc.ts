/** `docs/tour.md`, from what the tour printed; ids, commits and times are those of one tour. */
const HEAD = `# The tour

<!-- Written from what the tour prints by test/e2e/tour.test.ts with UPDATE=1; do not edit. -->

\`signalbox tour\` makes a small git repository, and leads you through the work with coding agents in ten minutes. Each command is
shown, and run when you press Enter; \`s\` skips a step, \`q\` leaves, and \`--yes\` goes on by itself. The agents are scripts, not
models: they need no key and no network, and what they change is real. \`--dir DIR\` names the folder, which must be new or empty and
in no other repository.

This is what it prints.
`;

export function tourDoc(printed: string): string {
  const [welcome = "", ...steps] = printed.split(/\n(?=\d of \d: )/);
  const [last = "", farewell = ""] = (steps.pop() ?? "").split(/\n(?=That was the tour\.)/);
  return [HEAD, block(welcome), ...[...steps, last].map(section), "## The end\n", block(farewell)].join("\n");
}

function section(text: string): string {
  const [first = "", ...commands] = text.split(/\n\n(?=\$ )/);
  const [title = "", ...why] = first.split("\n");
  return `## ${title.replace(/^(\d) of \d: /, "$1. ")}\n\n${why.join("\n")}\n\n${block(commands.join("\n\n"))}`;
}

function block(text: string): string {
  return `\`\`\`\n${text.trim()}\n\`\`\`\n`;
}

/** What cannot differ between two tours: lines of one command in any order, because agents work side by side. */
export function withoutChance(text: string): readonly string[] {
  return (
    text
      .replaceAll(/\b\d+(?:\.\d+)?(?:s|m)\b/g, "TIME")
      // Which of two like branches comes first, and whether the other agent is parked already.
      .replaceAll(/(?<=-by-time)-n5wr|, parked/g, "")
      .replaceAll(/ +/g, " ")
      .split(/\n(?=\$ )/)
      .map((part) => part.split("\n").toSorted().join("\n"))
  );
}

/** `known`: what is different in each tour, and what stands for it. */
export function withKnown(text: string, known: ReadonlyMap<string, string>): string {
  let plain = text;
  for (const [real, shown] of known) plain = plain.replaceAll(real, shown);
  return plain
    .replaceAll(/http:\S+/g, "http://127.0.0.1:4747/login?code=…")
    .replaceAll(/\b(demo|question)-\d+-(?=\d)/g, "$1-2-")
    .replaceAll(/(?<=-by-time-)\w{4}\b/g, "n5wr")
    .replaceAll(/^ {2}(?:alias|export) .*\n/gm, "");
}
