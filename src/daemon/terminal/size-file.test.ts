import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSize, writeSize } from "./size-file.js";

test("a size is kept; one that was not written to its end is none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-size-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await readSize(folder)).toBe(null);
  await writeSize(folder, { cols: 120, rows: 40 });
  expect(await readSize(folder)).toEqual({ cols: 120, rows: 40 });
  for (const broken of ["", '{"cols":1', '{"cols":0,"rows":0}']) {
    await writeFile(join(folder, "size.json"), broken);
    expect(await readSize(folder)).toBe(null);
  }
});
