/** The home folders of the users that the system lists: `~name`. */
import { readFileSync } from "node:fs";

const LIST = "/etc/passwd";

let homes: ReadonlyMap<string, string> | null = null;

/** Null when it is not listed: there may be such a user all the same, known to a service of the network. */
export function homeOf(name: string): string | null {
  // Who is added later is not known, and nothing is allowed by that.
  homes ??= readHomes();
  return homes.get(name) ?? null;
}

function readHomes(): ReadonlyMap<string, string> {
  const lines = listOfUsers()
    .split("\n")
    .map((line) => line.split(":"));
  const listed = lines.map(([name = "", , , , , home = ""]) => [name, home] as const);
  return new Map(listed.filter(([, home]) => home.startsWith("/")));
}

function listOfUsers(): string {
  try {
    return readFileSync(LIST, "utf8");
  } catch {
    // There is none, or it may not be read: then nobody is known.
    return "";
  }
}
