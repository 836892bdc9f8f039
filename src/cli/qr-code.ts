import { encode } from "uqr";

/** Around it, so that a camera finds it. */
const QUIET_MODULES = 2;
const BLACK_ON_WHITE = "\u001b[30;107m";
const RESET = "\u001b[0m";

/**
 * A QR code as lines of text, two rows in each. With colours it is black on white whatever the terminal's are; without,
 * what is drawn is the light part, as most terminals are dark.
 */
export function qrLines(text: string, colours: boolean): readonly string[] {
  const { data, size } = encode(text, { border: QUIET_MODULES, ecc: "L" });
  const isInked = (row: number, column: number) => (data[row]?.[column] ?? false) === colours;
  return Array.from({ length: Math.ceil(size / 2) }, (_, pair) => {
    const line = Array.from({ length: size }, (__, column) => {
      const upper = isInked(2 * pair, column);
      // Below the last row there is nothing to draw.
      const lower = 2 * pair + 1 < size && isInked(2 * pair + 1, column);
      return upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }).join("");
    return colours ? `${BLACK_ON_WHITE}${line}${RESET}` : line;
  });
}
