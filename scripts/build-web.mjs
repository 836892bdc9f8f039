/**
 * Builds the page into `dist/web`, and compresses what a browser gets. Does nothing when neither the page's text nor the
 * packages have changed since. The page stands whole, or as it was: it is moved there when it is done.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ROOT, say } from "./set-up.mjs";

const SOURCES = ["web", "react", "client", "core", "protocol"].map((folder) => `${ROOT}src/${folder}`);
const MORE_INPUTS = [`${ROOT}package-lock.json`, `${ROOT}scripts/build-web.mjs`];
const OUT = `${ROOT}dist/web`;
const STAMP = "inputs.sha256";
const COMPRESSED = new Set([".html", ".js", ".css", ".svg"]);
/** A file of less is not worth a second one. */
const COMPRESSED_BYTES_MIN = 512;

const wanted = digestOf([...SOURCES.flatMap(filesUnder).filter(isInput), ...MORE_INPUTS]);
if (readIfThere(`${OUT}/${STAMP}`) !== wanted) await buildPage();

async function buildPage() {
  const folder = `${ROOT}dist/.web-${process.pid}`;
  // Only now: most of the time there is nothing to build.
  const { build } = await import("vite");
  try {
    await build({
      configFile: false,
      root: `${ROOT}src/web`,
      base: "/",
      logLevel: "warn",
      publicDir: false,
      esbuild: { jsx: "automatic", legalComments: "none" },
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: "es2022",
        // The page's policy permits nothing inline.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rollupOptions: { treeshake: { moduleSideEffects: (id) => !/\/src\/(core|protocol)\//.test(id) } },
      },
    });
    await Promise.all(filesUnder(folder).map(compress));
    writeFileSync(`${folder}/${STAMP}`, wanted);
    replace(folder);
    say("built the page");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two builds at once both end well: whoever is last has the last word. */
function replace(folder) {
  const old = `${ROOT}dist/.web-old-${process.pid}`;
  mkdirSync(`${ROOT}dist`, { recursive: true });
  if (existsSync(OUT)) renameSync(OUT, old);
  renameSync(folder, OUT);
  rmSync(old, { recursive: true, force: true });
}

async function compress(path) {
  const bytes = readFileSync(path);
  if (!COMPRESSED.has(extname(path)) || bytes.length < COMPRESSED_BYTES_MIN) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, quality));
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

function isInput(path) {
  return !path.endsWith(".test.ts");
}

function digestOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) hash.update(`${path.slice(ROOT.length)}\0`).update(readFileSync(path));
  return `${hash.digest("hex")}\n`;
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
