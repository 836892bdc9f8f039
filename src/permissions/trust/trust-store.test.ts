import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { put, temporaryFolder } from "../temporary-folder.test.js";
import { TrustStore } from "./trust-store.js";

const RULES = '[permissions]\nallow = ["Shell(ls)"]\n';
const RULES_HASH = createHash("sha256").update(RULES).digest("hex");

function trusted() {
  const root = temporaryFolder();
  const folder = join(root, "repo");
  put(join(folder, ".signalbox/permissions.toml"), RULES);
  put(join(folder, ".signalbox/skills/deploy/SKILL.md"), "Deploy.");
  const store = new TrustStore(join(root, "config"));
  const { content } = store.trustOf(folder, null);
  if (content.type !== "content") throw new Error("there is content");
  store.pin(folder, content.hash, 1_000);
  return { root, folder, store, hash: content.hash };
}

test("nothing is trusted until a person says so", () => {
  const { root, folder, store, hash } = trusted();
  const other = new TrustStore(join(root, "other-config"));
  const content = { type: "content", hash, files: ["permissions.toml", "skills/deploy/SKILL.md"] };
  expect(other.trustOf(folder, null)).toEqual({ folder, state: "untrusted", content, problem: null });
  expect(other.isTrusted(folder, RULES_HASH)).toBe(false);
  expect(store.trustOf(folder, null)).toEqual({ folder, state: "trusted", content, problem: null });
  expect(store.isTrusted(folder, RULES_HASH)).toBe(true);
});

test("the pins are the person's alone, and another store reads them", () => {
  const { root, folder, store, hash } = trusted();
  expect(statSync(store.file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(store.file, "utf8"))).toEqual({
    version: 1,
    folders: { [folder]: { hash, atMs: 1_000 } },
  });
  expect(new TrustStore(join(root, "config")).isTrusted(folder, RULES_HASH)).toBe(true);
});

test.each<[string, (inside: string) => void]>([
  ["a rule more", (inside) => put(join(inside, "permissions.toml"), `${RULES}# x\n`)],
  ["a hook more", (inside) => put(join(inside, "hooks/post.sh"), "curl evil")],
  ["a file nobody knows", (inside) => put(join(inside, ".hidden"), "")],
  ["another skill under the same name", (inside) => put(join(inside, "skills/deploy/SKILL.md"), "Deploz.")],
  [
    "a file that was renamed",
    (inside) => renameSync(join(inside, "skills/deploy"), join(inside, "skills/other")),
  ],
  ["a file less", (inside) => rmSync(join(inside, "skills"), { recursive: true })],
  ["nothing left", (inside) => rmSync(inside, { recursive: true })],
])("with %s it is not what was trusted", (_name, change) => {
  const { folder, store } = trusted();
  change(join(folder, ".signalbox"));
  expect(store.trustOf(folder, null).state).toBe("changed");
});

test("put back as it was, it is trusted again", () => {
  const { folder, store } = trusted();
  const file = join(folder, ".signalbox/permissions.toml");
  put(file, "");
  expect(store.trustOf(folder, null).state).toBe("changed");
  put(file, RULES);
  expect(store.trustOf(folder, null).state).toBe("trusted");
});

test("rules that were read from other bytes than the trusted ones are not trusted, whatever the file is by now", () => {
  const { folder, store } = trusted();
  expect(store.isTrusted(folder, createHash("sha256").update("other").digest("hex"))).toBe(false);
});

describe("what a hash cannot stand for", () => {
  test.each<[string, (inside: string) => void, string]>([
    [
      "a link to a folder",
      (inside) => symlinkSync("/usr", join(inside, "away")),
      "away is neither a file nor a folder",
    ],
    ["a pipe", (inside) => execFileSync("mkfifo", [join(inside, "p")]), "p is neither a file nor a folder"],
    [
      "a huge file",
      (inside) => put(join(inside, "big"), Buffer.alloc(1024 * 1024 + 1)),
      "big cannot be read, or is too large",
    ],
    [
      "too many files",
      (inside) => {
        for (let n = 0; n < 1_001; n += 1) put(join(inside, "many", String(n)), "");
      },
      "it has more than 1000 files",
    ],
    [
      "too many folders",
      (inside) => {
        for (let n = 0; n < 201; n += 1) mkdirSync(join(inside, "many", String(n)), { recursive: true });
      },
      "it has more than 200 folders",
    ],
  ])("%s", (_name, change, why) => {
    const { folder, store } = trusted();
    change(join(folder, ".signalbox"));
    const content = { type: "unfit", why };
    expect(store.trustOf(folder, null)).toEqual({ folder, state: "changed", content, problem: why });
  });

  test("a link to a file counts as that file", () => {
    const { root, folder, store } = trusted();
    const inside = join(folder, ".signalbox");
    const target = put(join(root, "elsewhere"), "a");
    symlinkSync(target, join(inside, "link"));
    const { content } = store.trustOf(folder, null);
    store.pin(folder, content.type === "content" ? content.hash : "", 2_000);
    expect(store.trustOf(folder, null).state).toBe("trusted");
    writeFileSync(target, "b");
    expect(store.trustOf(folder, null).state).toBe("changed");
  });
});

test("a folder can be trusted no more", () => {
  const { folder, store } = trusted();
  expect([store.unpin(folder), store.unpin(folder), store.trustOf(folder, null).state]).toEqual([
    true,
    false,
    "untrusted",
  ]);
});

test.each(["{", "[]", '{"version":2,"folders":{}}', '{"version":1,"folders":{"/a":{"hash":"x","atMs":1}}}'])(
  "pins that cannot be read (%s) trust nothing and are not written over",
  (text) => {
    const { folder, store } = trusted();
    writeFileSync(store.file, text);
    const problem = `${store.file} is not what Signalbox wrote, so that no folder is trusted`;
    expect(store.trustOf(folder, null)).toMatchObject({ state: "untrusted", problem });
    expect(() => store.pin(folder, "0".repeat(64), 1)).toThrow("nothing was changed");
    expect(() => store.unpin(folder)).toThrow("nothing was changed");
    expect(readFileSync(store.file, "utf8")).toBe(text);
  },
);

test("pins of many folders stay when one is added", () => {
  const { root, folder, store } = trusted();
  const other = join(root, "other");
  mkdirSync(other);
  chmodSync(store.file, 0o640);
  store.pin(other, "0".repeat(64), 2);
  expect([store.trustOf(folder, null).state, store.trustOf(other, null).state]).toEqual([
    "trusted",
    "changed",
  ]);
  expect(statSync(store.file).mode & 0o777).toBe(0o640);
});
