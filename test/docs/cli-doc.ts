/** `docs/cli.md`, from the table of commands and their own help. */
import { helpOf } from "../../src/cli/command-help.js";
import { COMMANDS } from "../../src/cli/command-table.js";
import { EXIT_HELP } from "../../src/cli/exit-codes.js";

export async function cliDoc(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, entry]) => {
      const help = helpOf(entry, await entry.load()).trimEnd();
      return `## ${name}\n\n${sentence(entry.summary)}\n\n\`\`\`text\n${help}\n\`\`\`\n`;
    }),
  );
  const exits = EXIT_HELP.split("\n")
    .slice(1)
    .map((line) => line.trim())
    .join("\n");
  return `# The command line

<!-- Written from the table of commands by test/docs/cli-doc.test.ts with UPDATE=1; do not edit. -->

\`signalbox <command> --help\` says the same. An ID may be abbreviated, as long as it means one session. \`--json\` prints
one JSON value, or one per line when following. Errors go to stderr with a hint. The daemon starts by itself when a command
needs it. Colours are left out with \`NO_COLOR\` and where nobody looks.

Exit status:

\`\`\`text
${exits}
\`\`\`

${sections.join("\n")}`;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
