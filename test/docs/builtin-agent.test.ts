/** The tables in `docs/builtin-agent.md` are those of the program. `UPDATE=1` writes them anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BUILTIN_TABLES } from "./builtin-tables.js";

const FILE = fileURLToPath(new URL("../../docs/builtin-agent.md", import.meta.url));

const block = (name: string): RegExp =>
  new RegExp(`(?<=<!-- table: ${name} -->\\n\\n)[^]*?(?=\\n\\n<!-- end -->)`);

test.each(Object.entries(BUILTIN_TABLES))("the table of %s", (name, table) => {
  const page = readFileSync(FILE, "utf8");
  if (process.env["UPDATE"] === "1")
    writeFileSync(
      FILE,
      page.replace(block(name), () => table()),
    );
  expect(block(name).exec(readFileSync(FILE, "utf8"))?.[0]).toBe(table());
});

test("it says what each limit of the code is", () => {
  const page = readFileSync(FILE, "utf8").replaceAll(/\s+/g, " ");
  for (const fact of [
    "100,000 characters",
    "200,000 characters",
    "120 columns and 10 rows",
    "250 ms",
    "400,000",
  ])
    expect(page).toContain(fact);
});
