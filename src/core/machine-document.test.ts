import { expect, test } from "vitest";
import { lampMachine } from "../../test/docs/lamp-machine.js";
import { machineDocument } from "./machine-document.js";
import { drawMermaid } from "./mermaid.js";

const EXPECTED = `# The lamp machine

<!-- Generated from the table by \`npm run docs\`. Do not edit. -->

It shines or it does not.

## Before the table

- A lamp has no gates.

## Diagram

An arrow is there when some event can lead from one state to the other; what stays is only in the table.

\`\`\`mermaid
${drawMermaid(lampMachine.description)}\`\`\`

## Table

Every cell names the rule that decides; the rules are listed below.

### Requests

| event   | off       | on         | broken |
| ------- | --------- | ---------- | ------ |
| \`press\` | switch_on | switch_off | refuse |

### Facts

| event        | off     | on      | broken |
| ------------ | ------- | ------- | ------ |
| \`power:lost\` | go_dark | go_dark | skip   |
| \`burn_out\`   | shatter | shatter | skip   |

## Rules

| rule         | what it does                      | leads to     | cells |
| ------------ | --------------------------------- | ------------ | ----- |
| \`switch_on\`  | Lights up.                        | \`on\`         | 1     |
| \`switch_off\` | Goes dark.                        | \`off\`        | 1     |
| \`refuse\`     | A broken lamp \\| does not switch. | stays        | 1     |
| \`go_dark\`    | Whatever shone no longer does.    | \`off\`, stays | 2     |
| \`skip\`       | Means nothing here.               | stays        | 2     |
| \`shatter\`    | For good.                         | \`broken\`     | 2     |
`;

test("prints the whole document", () => {
  expect(machineDocument(lampMachine.description, "It shines or it does not.")).toBe(EXPECTED);
});

test("says that there are no gates, and leaves out a kind of event that does not occur", () => {
  const description = { ...lampMachine.description, gates: [], rows: lampMachine.description.rows.slice(1) };
  const document = machineDocument(description, "");
  expect(document).toContain("## Before the table\n\nNothing: the table is asked about every event.\n");
  expect(document).not.toContain("### Requests");
});
