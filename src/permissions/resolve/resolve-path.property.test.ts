/** Where paths lead, whatever links there are, and however often they change. */
import { mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileAccess } from "../../core/index.js";
import { temporaryFolder } from "../temporary-folder.test.js";
import { resolveAccesses } from "./resolve-accesses.js";
import { realPath, type RealPaths } from "./resolve-path.js";

const name = fc.constantFrom("a", "b", "c");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const dotted = fc
  .array(fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom(".", "..", "")), {
    minLength: 1,
    maxLength: 7,
  })
  .map((names) => names.join("/"))
  .filter((each) => !each.startsWith("/"));
const link = fc.oneof(
  path,
  dotted.filter((each) => each !== ""),
);
const step = fc.record({
  path,
  target: fc.oneof(link, fc.constantFrom("folder", "gone")),
  isAbsolute: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A change for which there is no place, or only one outside of this test's folder, is left out. */
function change(root: string, { path: place, target, isAbsolute }: Step): void {
  const at = join(root, place);
  try {
    if (!`${realpathSync.native(dirname(at))}/`.startsWith(`${root}/`)) return;
    if (target === "gone") rmSync(at, { recursive: true, force: true });
    else if (target === "folder") mkdirSync(at);
    else symlinkSync(isAbsolute ? `${root}/${target}` : target, at);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && /^(ENOENT|EEXIST|ELOOP)$/.test(String(error.code))))
      throw error;
  }
}

/** Name by name, with nothing in mind but how many links were followed since the first of them. */
function slowRealPath(asked: string, trail: { links: number } | null = null): string {
  const real = withoutDots(asked, trail);
  if (real === "/" || (trail !== null && trail.links > 40)) return real;
  try {
    return realpathSync.native(real);
  } catch {
    const folder = slowRealPath(dirname(real), trail);
    const place = join(folder, real.slice(real.lastIndexOf("/") + 1));
    const further = trail ?? { links: 0 };
    try {
      const target = readlinkSync(place);
      further.links += 1;
      return slowRealPath(target.startsWith("/") ? target : `${folder}/${target}`, further);
    } catch {
      return place;
    }
  }
}

function withoutDots(asked: string, trail: { links: number } | null): string {
  const names: string[] = [];
  let folder = "";
  if (trail !== null && trail.links > 40) return join("/", asked).replace(/(.)\/$/, "$1");
  for (const each of asked.split("/")) {
    if (each === "..") {
      folder = dirname(slowRealPath([folder, ...names.splice(0)].join("/"), trail));
      if (folder === "/") folder = "";
    } else if (each !== "" && each !== ".") names.push(each);
  }
  return [folder, ...names].join("/") || "/";
}

test("where paths lead does not depend on which was looked at first", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 8 }),
      fc.array(fc.oneof(path, dotted), { maxLength: 6 }),
      (steps, asked) => {
        const root = realpathSync(temporaryFolder());
        for (const each of steps) change(root, each);
        const seen: RealPaths = new Map();
        const paths = asked.map((each) => `${root}/${each}`);
        expect(paths.map((each) => realPath(each, seen))).toEqual(paths.map((each) => slowRealPath(each)));
        rmSync(root, { recursive: true });
      },
    ),
    { numRuns: 200 },
  );
});

test("a line that was resolved before leads where its paths lead now", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 8 }),
      fc.array(step, { minLength: 1, maxLength: 5 }),
      fc.array(fc.oneof(path, dotted), { minLength: 1, maxLength: 4 }),
      (steps, changes, asked) => {
        const root = realpathSync(temporaryFolder());
        const context = { cwd: root, projectDir: root, homeDir: join(root, "a") };
        const followed = { ...context, followed: new Map([[root, null]]) };
        const command = `cat ${asked.map((each) => `./${each}`).join(" ")}`;
        const targets = () => {
          const [line] = resolveAccesses([{ category: "Shell", command, shell: "bash" }], followed);
          if (line?.category !== "Shell") throw new Error("no line");
          return new Set(line.files.flatMap(({ access }) => access.targets));
        };
        const anew = () => {
          const reads = asked.map((each) => ({ category: "Read", path: `./${each}` }) as const);
          return new Set(resolveAccesses(reads, context).flatMap((access) => (access as FileAccess).targets));
        };
        for (const each of steps) change(root, each);
        expect(targets()).toEqual(anew());
        for (const each of changes) {
          change(root, each);
          expect(targets()).toEqual(anew());
        }
        rmSync(root, { recursive: true });
      },
    ),
    { numRuns: 200 },
  );
});

test("links each of which leads twice to the next are followed no further than the system does", () => {
  const root = realpathSync(temporaryFolder());
  for (let at = 0; at < 24; at += 1) symlinkSync(`${at + 1}/../${at + 1}`, join(root, String(at)));
  expect(dirname(realPath(join(root, "0")))).toBe(root);
});
