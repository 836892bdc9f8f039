/** Commands of npm in full. It takes aliases, and whatever is the beginning of one name only. */

const COMMANDS =
  "access adduser approve-scripts audit bugs cache ci completion config dedupe deny-scripts deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search init install install-ci-test install-scripts install-test link ll login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap stage star stars start stop team test token trust undeprecate uninstall unpublish unstar update version view whoami".split(
    " ",
  );

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    adduser: "add-user",
    bugs: "issues",
    ci: "clean-install ic install-clean isntall-clean",
    config: "c",
    dedupe: "ddp",
    "dist-tag": "dist-tags",
    docs: "home",
    exec: "x",
    explain: "why",
    help: "hlep",
    init: "create innit",
    install: "add i in ins inst insta instal isnt isnta isntal isntall",
    "install-ci-test": "cit clean-install-test sit",
    "install-test": "it",
    link: "ln",
    ll: "la",
    ls: "list",
    org: "ogr",
    owner: "author",
    rebuild: "rb",
    run: "run-script rum urn",
    search: "find s se",
    test: "tst t",
    uninstall: "unlink remove rm r un",
    update: "u up upgrade udpate",
    version: "verison",
    view: "info show v",
  }).flatMap(([command, names]) => names.split(" ").map((name) => [name, command] as const)),
);

const NAMES = [...COMMANDS, ...ALIASES.keys()];

/** Null when npm knows no such command. */
export function npmCommand(word: string): string | null {
  // To npm, `installTest` is `install-test`.
  const name = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (COMMANDS.includes(name)) return name;
  const alias = ALIASES.get(name);
  if (alias !== undefined || name === "") return alias ?? null;
  const [only, ...others] = NAMES.filter((known) => known.startsWith(name));
  if (only === undefined || others.length > 0) return null;
  return ALIASES.get(only) ?? only;
}
