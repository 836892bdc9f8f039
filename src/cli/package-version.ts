import { readFileSync } from "node:fs";

/** The version of the package that this program is a part of. */
export function packageVersion(): string {
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}
