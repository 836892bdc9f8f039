/** Shows that the compiler itself keeps the walls and the tables whole: what breaks one does not compile. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./root.js";

const COPIED = [
  "package.json",
  "tsconfig.base.json",
  "src/core/tsconfig.json",
  "src/core/schema.ts",
  "src/core/step.ts",
  "src/core/table.ts",
  "src/cli/tsconfig.json",
];

const TABLE = `import type { Table } from "./table.js";
interface Opened { readonly type: "opened" }
interface Shut { readonly type: "shut" }
export interface Rows { readonly opened: Opened; readonly shut: Shut }
const COLUMNS = ["light", "dark"] as const;
export const RULES = {
  any: { apply: (state: string, _event: Opened | Shut) => state },
  open: { apply: (state: string, _event: Opened) => state },
};
export const TABLE = {
  opened: ["open", "any"],
  shut: ["any", "any"],
} as const satisfies Table<Rows, typeof COLUMNS, typeof RULES>;
`;

/** A change to the good table, and the error it must cause. */
const TABLE_FAULTS: Readonly<Record<string, readonly [from: string, to: string, error: string]>> = {
  "a missing cell": ['["open", "any"]', '["open"]', "TS2322"],
  "a cell too many": ['["open", "any"]', '["open", "any", "any"]', "TS2322"],
  "a missing row": ['  shut: ["any", "any"],\n', "", "TS1360"],
  "a row for no event": ['  shut: ["any"', '  slammed: ["any", "any"],\n  shut: ["any"', "TS2353"],
  "a new state": ['"dark"]', '"dark", "dim"]', "TS2322"],
  "a new event": ["readonly shut: Shut }", "readonly shut: Shut; readonly broken: Shut }", "TS1360"],
  "a rule that is not there": ['["any", "any"]', '["any", "none"]', "TS2322"],
  "a rule that takes another event": ['["any", "any"]', '["any", "open"]', "TS2322"],
};

/** What core must not even be able to name, and the error it must cause. */
const WORLD: Readonly<Record<string, readonly [source: string, error: string]>> = {
  process: ["export const told: unknown = process.pid;", "TS2591"],
  Buffer: ['export const told: unknown = Buffer.from("");', "TS2591"],
  "node:fs": [
    'import { readFileSync } from "node:fs";\nexport const told: unknown = readFileSync;',
    "TS2591",
  ],
  fetch: ['export const told: unknown = fetch("x");', "TS2304"],
  setTimeout: ["export const told: unknown = setTimeout(() => 0, 1);", "TS2304"],
  performance: ["export const told: unknown = performance.now();", "TS2304"],
  crypto: ["export const told: unknown = crypto.randomUUID();", "TS2304"],
  console: ['console.log("x");\nexport {};', "TS2584"],
  document: ["export const told: unknown = document.title;", "TS2584"],
  "globalThis.process": ["export const told: unknown = globalThis.process;", "TS7017"],
  "a file of another folder": [
    'import { secret } from "../cli/secret.js";\nexport const told = secret;',
    "TS6307",
  ],
  "a type of another folder": [
    'import type { Secret } from "../cli/secret-type.js";\nexport type Told = Secret;',
    "TS6307",
  ],
};

let folder = "";

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The error codes of a compilation, by the file they are in. */
function compile(project: string): ReadonlyMap<string, readonly string[]> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", project, "--noEmit", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const errors = new Map<string, string[]>();
  for (const [, path = "", code = ""] of stdout.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)) {
    errors.set(path, [...(errors.get(path) ?? []), code]);
  }
  return errors;
}

const fileNamed = (name: string) => `src/core/${name.replace(/\W+/g, "-")}.ts`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-walls-"));
  for (const path of COPIED) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(folder, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  put("src/core/clean.ts", TABLE);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("what keeps to the rules compiles", () => {
  expect([...compile("src/core")]).toEqual([]);
});

describe("core", () => {
  let errors: ReadonlyMap<string, readonly string[]> = new Map();
  beforeAll(() => {
    put("src/cli/secret.ts", 'export const secret = "cli";\n');
    put("src/cli/secret-type.ts", "export type Secret = string;\n");
    for (const [name, [source]] of Object.entries(WORLD)) put(fileNamed(name), `${source}\n`);
    for (const [name, [from, to]] of Object.entries(TABLE_FAULTS))
      put(fileNamed(name), TABLE.replace(from, to));
    errors = compile("src/core");
  });

  test.each(Object.entries(WORLD))("cannot name %s", (name, [, error]) => {
    expect(errors.get(fileNamed(name))).toContain(error);
  });

  test.each(Object.entries(TABLE_FAULTS))("cannot have a table with %s", (name, [, , error]) => {
    expect(errors.get(fileNamed(name))).toContain(error);
  });

  test("has no other faults", () => {
    const expected = [...Object.keys(WORLD), ...Object.keys(TABLE_FAULTS)].map(fileNamed);
    expect([...errors.keys()].toSorted()).toEqual(expected.toSorted());
  });
});

test("a folder cannot import one that it does not refer to", () => {
  for (const folder of ["client", "core", "protocol"]) {
    const path = `src/${folder}/tsconfig.json`;
    put(path, readFileSync(join(ROOT, path), "utf8"));
  }
  put("src/daemon/secret.ts", 'export const secret = "daemon";\n');
  put("src/cli/breach.ts", 'import { secret } from "../daemon/secret.js";\nexport const told = secret;\n');
  expect(compile("src/cli").get("src/cli/breach.ts")).toContain("TS6307");
});
