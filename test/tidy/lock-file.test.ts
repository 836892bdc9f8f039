/** What `npm ci` on another machine needs of `package-lock.json`. */
import { expect, test } from "vitest";
import { readJson } from "./repository.js";

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Packages that some package of the lock file needs, and that it does not have. `npm ci` refuses such a file. */
function missing({ packages }: LockFile): readonly string[] {
  const locked = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
  const wanted = Object.values(packages).flatMap((each) =>
    Object.keys({ ...each.dependencies, ...each.optionalDependencies }),
  );
  return [...new Set(wanted)].filter((name) => !locked.has(name)).toSorted();
}

test("the lock file is whole, for every platform", () => {
  expect(missing(readJson("package-lock.json") as LockFile)).toEqual([]);
});

test("what is missing is found", () => {
  const packages = {
    "node_modules/a": {
      dependencies: { b: "1" },
      optionalDependencies: { "@x/darwin": "1", "@x/linux": "1" },
    },
    "node_modules/a/node_modules/b": {},
    "node_modules/@x/linux": {},
  };
  expect(missing({ packages })).toEqual(["@x/darwin"]);
});
