import { encode } from "uqr";
import { expect, test } from "vitest";
import { qrLines } from "./qr-code.js";

const LINK = "https://devbox.example.org/login?code=0123456789abcdef0123456789abcdef0123456789abcdef";

/** The dark modules that somebody sees. */
function seen(lines: readonly string[], inkIsDark: boolean): readonly (readonly boolean[])[] {
  const colours = new RegExp("\u001b\\[[\\d;]*m", "g");
  return lines.flatMap((line) => {
    const characters = Array.from(line.replace(colours, ""));
    const row = (inked: string) => characters.map((each) => inked.includes(each) === inkIsDark);
    return [row("█▀"), row("█▄")];
  });
}

test.each([true, false])("what is seen is the code (colours: %s)", (colours) => {
  const { data, size } = encode(LINK, { border: 2, ecc: "L" });
  expect(seen(qrLines(LINK, colours), colours).slice(0, size)).toEqual(data);
});

test("a login link fits into eighty columns and twenty-four rows", () => {
  const lines = qrLines(LINK, false);
  expect(lines[0]?.length).toBeLessThanOrEqual(80);
  expect(lines.length).toBeLessThanOrEqual(24);
});
