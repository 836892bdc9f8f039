/**
 * Builds the programs into `dist/programs`: of what `tsc` has built into `dist/src`, one file for each instead of hundreds,
 * because most of the time that a small program takes to start is the loading of modules. Does nothing when nothing has
 * changed since. They stand whole, or as they were: they are moved there when they are done.
 *
 * A module of `dist/programs` has the address that it has in `dist/src`, but for that word, so that each tree starts its
 * own programs and finds the same package, page and skills.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT, say } from "./set-up.mjs";

const SOURCES = `${ROOT}dist/src`;
const OUT = `${ROOT}dist/programs`;
const STAMP = "built";
const MORE_INPUTS = [`${ROOT}package-lock.json`, fileURLToPath(import.meta.url)];

/** What is started as a process or a thread, or imported by its address. */
const PROGRAMS = [
  "agent/main.js",
  "cli/main.js",
  "daemon/main.js",
  "daemon/maintain.js",
  "daemon/run-daemon.js",
  "harness/script/script-agent.js",
  "journal/sqlite/commit-thread.js",
  "journal/sqlite/side-thread.js",
  "keeper/main.js",
  "proxy/main.js",
];
/**
 * What it does later is in files of their own, because a command needs little of it. The others are one file: they run for
 * days, and find what they have not loaded yet after an upgrade too.
 */
const SPLIT = new Set(["cli/main.js"]);
/** Native, or seldom needed and then loaded as it is. */
const EXTERNAL = ["libsql", "@lydell/node-pty", "@opentelemetry/*", "ink", "react"];
/** `ws` asks for them, and does without. */
const OPTIONAL = ["bufferutil", "utf-8-validate"];
/** For packages that are no ES modules. */
const REQUIRE = `import { createRequire as createRequireHere } from "node:module";
const require = createRequireHere(import.meta.url);`;

if (!isUpToDate()) await buildPrograms();

/** The compiler writes its notes last, and whenever it has written anything. */
function isUpToDate() {
  const builtAtMs = changedAtMs(join(OUT, STAMP));
  const notes = readdirSync(SOURCES).map((folder) => join(SOURCES, folder, ".tsbuildinfo"));
  return [...notes, ...MORE_INPUTS].every((path) => changedAtMs(path) < builtAtMs);
}

function changedAtMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function buildPrograms() {
  const startedAt = new Date();
  const folder = `${ROOT}dist/.programs-${process.pid}`;
  const { build } = await import("esbuild");
  try {
    const built = await Promise.all(PROGRAMS.map((program) => build(optionsFor(program, folder))));
    const inputs = new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
    writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(inputs));
    writeFileSync(join(folder, STAMP), "");
    replace(folder, startedAt);
    say("built the programs");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function optionsFor(program, folder) {
  return {
    entryPoints: [join(SOURCES, program)],
    outdir: join(folder, dirname(program)),
    // What a program does is read from its stack traces, too: nothing is made shorter.
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    splitting: SPLIT.has(program),
    chunkNames: "[name]-[hash]",
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    banner: { js: REQUIRE },
    external: [...EXTERNAL, ...OPTIONAL],
    plugins: [otherPrograms(program), ownAddresses(dirname(program))],
  };
}

/** A program that another one imports stays a file of its own. */
function otherPrograms(program) {
  const others = new Set(PROGRAMS.filter((other) => other !== program).map((other) => join(SOURCES, other)));
  return {
    name: "other-programs",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const target = join(resolveDir, path);
        if (!others.has(target)) return null;
        const address = relative(join(SOURCES, dirname(program)), target);
        return { path: address.startsWith(".") ? address : `./${address}`, external: true };
      });
    },
  };
}

/** `import.meta.url` of a module is where it would be, if it were a file of its own in `dist/programs`. */
function ownAddresses(folder) {
  return {
    name: "own-addresses",
    setup(build) {
      build.onLoad({ filter: /\.m?js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta")) return null;
        // Where a package is cannot be said before it is installed.
        if (!path.startsWith(SOURCES)) throw new Error(`${path} uses import.meta: it must be external`);
        const address = JSON.stringify(`./${relative(join(SOURCES, folder), path)}`);
        const contents = text.replaceAll("import.meta.url", `new URL(${address}, import.meta.url).href`);
        return { contents, loader: "js", resolveDir: dirname(path) };
      });
    },
  };
}

/** Whoever passes a package on passes its licence on. */
function licensesOf(inputs) {
  const packages = new Set(
    [...inputs].flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...packages]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${ROOT}${folder}/package.json`, "utf8"));
      const file = readdirSync(`${ROOT}${folder}`).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? "" : readFileSync(`${ROOT}${folder}/${file}`, "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** Two builds at once both end well: whoever is last has the last word. */
function replace(folder, startedAt) {
  const old = `${ROOT}dist/.programs-old-${process.pid}`;
  // What the compiler writes from now on is newer than what is built here.
  utimesSync(join(folder, STAMP), startedAt, startedAt);
  if (existsSync(OUT)) renameSync(OUT, old);
  renameSync(folder, OUT);
  rmSync(old, { recursive: true, force: true });
}
