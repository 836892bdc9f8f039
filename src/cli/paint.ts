/** Colours a text, or leaves it plain. */
export type Paint = (colour: Colour, text: string) => string;

const CODES = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33" } as const;
export type Colour = keyof typeof CODES;

const PLAIN: Paint = (_colour, text) => text;
const COLOURED: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** Colours only for somebody who looks at a terminal and wants them. */
export function painter(output: { readonly isTTY: boolean } = process.stdout): Paint {
  return output.isTTY && !process.env["NO_COLOR"] ? COLOURED : PLAIN;
}
