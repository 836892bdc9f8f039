/** Which folder of `src` may import which: the one list, held against every `tsconfig.json` and every import. */
export const WALLS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ["core"],
  runtime: ["core", "protocol"],
  journal: ["core", "protocol", "runtime"],
  keeper: ["protocol"],
  terminal: ["core", "protocol", "runtime"],
  harness: ["core", "protocol", "runtime"],
  permissions: ["core", "protocol"],
  agent: ["core", "protocol"],
  daemon: ["core", "protocol", "runtime", "journal", "keeper", "terminal", "harness", "permissions", "agent"],
  client: ["protocol"],
  react: ["client", "core", "protocol"],
  web: ["react", "client", "core", "protocol"],
  cli: ["client", "core", "protocol"],
};
