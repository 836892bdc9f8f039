import { expect, test } from "vitest";
import type { ResolvedAccess } from "../core/index.js";
import type { WallPlan } from "../protocol/wall.js";
import { leavesWall } from "./leaves-wall.js";

function planWith(mode: WallPlan["network"]["mode"]): WallPlan {
  return {
    cwd: "/work-of/me/project",
    home: "/work-of/me",
    scratch: [{ path: "/work-of/me", sizeBytes: 1, why: "home" }],
    writable: [{ path: "/work-of/me/project", type: "folder", why: "the session's folder" }],
    readOnly: [{ path: "/work-of/me/project/.git/hooks", type: "folder", why: "hooks" }],
    hidden: [{ path: "/work-of/me/project/.env", type: "file", why: "a rule" }],
    copied: [],
    sockets: [],
    made: [],
    environment: { keep: [], set: {} },
    network: { mode, hosts: ["api.example.org", "*.packages.example:443"], services: [] },
    nestedNamespaces: false,
    gaps: [],
  };
}

function file(category: "Read" | "Write", path: string): ResolvedAccess {
  const project = "/work-of/me/project";
  return { category, path, paths: [path], targets: [path], exact: true, project, home: "/work-of/me" };
}

function web(host: string): ResolvedAccess {
  return { category: "Web", host, hosts: [host] };
}

const exists = (path: string): boolean => path === "/work-of/me/.ssh/id";
const why = (mode: WallPlan["network"]["mode"], access: ResolvedAccess) =>
  leavesWall(planWith(mode), [access], exists);

test.each([
  ["Write", "/work-of/me/project/src/a.ts", null],
  ["Write", "/work-of/me/project/.git/hooks/pre-commit", /read-only inside/],
  ["Write", "/etc/hosts", /read-only inside/],
  ["Read", "/etc/hosts", null],
  ["Read", "/work-of/me/project/.env", /hidden/],
  // What this machine has there, the run does not see; what it has of its own there, it made.
  ["Read", "/work-of/me/.ssh/id", /hidden/],
  ["Read", "/work-of/me/.cache/own", null],
  ["Write", "/work-of/me/.cache/own", null],
  ["Write", "/dev/null", null],
] as const)("%s %s", (category, path, expected) => {
  // Whatever the network is: a file is a file.
  for (const mode of ["open", "listed", "closed"] as const) {
    const said = why(mode, file(category, path));
    if (expected === null) expect(said).toBeNull();
    else expect(said).toMatch(expected);
  }
});

test("a host that the wall lists stays inside, another does not; with an open network nothing but files does", () => {
  expect(why("listed", web("api.example.org"))).toBeNull();
  expect(why("listed", web("one.packages.example"))).toBeNull();
  expect(why("listed", web("example.com"))).toMatch(/none of the hosts/);
  expect(why("closed", web("api.example.org"))).toMatch(/closed/);
  expect(why("open", web("api.example.org"))).toMatch(/open/);
  expect(why("open", { category: "Tool", name: "TodoWrite" })).toMatch(/open/);
  expect(why("listed", { category: "Tool", name: "TodoWrite" })).toBeNull();
  expect(why("listed", { category: "Mcp", server: "github", tool: "create_issue" })).toMatch(/github/);
});
