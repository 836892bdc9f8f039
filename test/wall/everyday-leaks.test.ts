/**
 * Lines that look harmless, that a person may have allowed with one star, and that no table of options could judge: inside,
 * a denied file is not there, and a protected one cannot be written.
 */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CANNOT, deny, WallLab, type RunOptions } from "./wall-lab.js";

const SECRET = "DENIED-by-a-rule";
const OPTIONS: RunOptions = {
  rules: [deny("Read(**/.env*)"), deny("Read(secrets/**)"), deny("Write(.bashrc)"), deny("Write(.envrc)")],
};

let lab: WallLab;
beforeEach(() => {
  lab = new WallLab();
  lab.inProject(".env", `KEY=${SECRET}\n`);
  lab.inProject("secrets/deep/key", `${SECRET}\n`);
  lab.inProject("src/a.js", "KEY\n");
  lab.inProject(".bashrc", "# mine\n");
  lab.inProject(".envrc", "# mine\n");
  lab.inProject("evil", "echo evil\n", 0o755);
  const test = `node -e "console.log(require('fs').readFileSync('.env','utf8'))"`;
  lab.inProject("package.json", JSON.stringify({ name: "x", version: "1.0.0", scripts: { test } }));
  execFileSync("git", ["init", "-q"], { cwd: lab.project, env: { ...process.env, HOME: lab.home } });
  lab.inProject(".git/hooks/pre-commit", "#!/bin/sh\n# mine\n", 0o755);
});
afterEach(() => lab.remove());

const HAS_RG = hasProgram("rg");
const HAS_PYTHON = existsSync("/usr/bin/python3");

function hasProgram(name: string): boolean {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, name)));
}

describe.skipIf(CANNOT)("a denied file is not there", () => {
  test.each([
    ["grep -r . ."],
    ["grep -rn KEY --include='*' . ; grep -r . .env secrets"],
    ["cat .e* s*/*/* ; find . -type f -exec cat {} +"],
    ["tar cf - . | cat ; cp -r . /tmp/copy && grep -r . /tmp/copy"],
    ["awk 1 .env ; sed -n p .env ; dd if=.env ; base64 .env | base64 -d"],
    ["f=.e; g=nv; cat $f$g"],
    ["git add -A && git show :.env ; git grep --no-index DENIED"],
    ["ln .env other; ln -s .env link; cat other link; mv .env moved; cat moved"],
  ])("%s", async (line) => {
    const { out, err } = await lab.inside(line, OPTIONS);
    expect(out + err).not.toContain(SECRET);
    expect(readFileSync(join(lab.project, ".env"), "utf8")).toContain(SECRET);
  });

  test("and would be, without the rule", async () => {
    const { out } = await lab.inside("cat .env; grep -r . secrets; npm test");
    expect(out.split(SECRET).length - 1).toBe(3);
  });

  test.skipIf(!HAS_RG)("rg", async () => {
    const { out } = await lab.inside("rg -uuu . ; rg --hidden --no-ignore KEY", OPTIONS);
    expect(out).not.toContain(SECRET);
    expect(out).toContain("src/a.js");
  });

  test("npm test, whose script reads it", async () => {
    const { out, err } = await lab.inside("npm test", OPTIONS);
    expect(out + err).not.toContain(SECRET);
    // It did run.
    expect(out).toContain("readFileSync");
  });

  test("npm pack", async () => {
    const { out } = await lab.inside("npm pack --offline 2>&1 && tar xOzf x-1.0.0.tgz", OPTIONS);
    expect(out).toContain("package.json");
    expect(out).not.toContain(SECRET);
  });

  test.skipIf(!HAS_PYTHON)("python -m http.server, without a path", async () => {
    const get = (path: string) =>
      `/usr/bin/python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8137/${path}').read())"`;
    const line = `/usr/bin/python3 -m http.server 8137 --bind 127.0.0.1 2>/dev/null & for i in $(seq 100); do ${get("src/a.js")} 2>/dev/null && break; sleep 0.1; done; ${get(".env")}; ${get("secrets/deep/key")}`;
    const { out, err } = await lab.inside(line, OPTIONS);
    expect(out).toContain("KEY");
    expect(out + err).not.toContain(SECRET);
  });
});

describe.skipIf(CANNOT)("a start-up file or a hook cannot be written", () => {
  const TARGETS = [".bashrc", ".envrc", ".git/hooks/pre-commit", ".git/config"];
  test.each([
    (path: string) => `cp evil ${path}`,
    (path: string) => `cp --remove-destination evil ${path}`,
    (path: string) => `echo evil | tee -a ${path}`,
    (path: string) => `sed -i 's/^/evil /' ${path}`,
    (path: string) => `ln -f evil ${path} ; ln -sf evil ${path}`,
    (path: string) => `mv evil ${path} ; rm -f ${path}; echo evil > ${path}`,
    (path: string) => `install -m 755 evil ${path} ; dd if=evil of=${path} ; truncate -s 0 ${path}`,
    (path: string) => `python3 -c "open('${path}', 'w')" ; perl -pi -e 's/^/evil/' ${path}`,
  ])("%s", async (line) => {
    const state = () =>
      TARGETS.map((path) => [
        lstatSync(join(lab.project, path)).mode,
        readFileSync(join(lab.project, path), "utf8"),
      ]);
    const before = state();
    // What `mv` takes away, the next line finds again.
    await lab.inside(
      TARGETS.map((path) => `printf 'echo evil\\n' > evil; ${line(path)}`).join("\n"),
      OPTIONS,
    );
    expect(state()).toEqual(before);
  });

  test("nor the folder of the hooks replaced, nor one of a person's home", async () => {
    const line =
      "mv .git/hooks .git/h2; mv .git .g2; mkdir -p .git/hooks; echo evil > .git/hooks/pre-push; cp evil ~/.bashrc; tee ~/.ssh/config < evil";
    await lab.inside(line, OPTIONS);
    expect(existsSync(join(lab.project, ".git/hooks/pre-push"))).toBe(false);
    expect(readFileSync(join(lab.project, ".git/hooks/pre-commit"), "utf8")).toContain("# mine");
    expect(readFileSync(join(lab.home, ".bashrc"), "utf8")).toBe("# mine\n");
    expect(existsSync(join(lab.home, ".ssh/config"))).toBe(false);
  });
});
