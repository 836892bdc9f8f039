/**
 * The page that the daemon serves, as it was built. It is open to all, because there is nothing in it: what it shows it
 * must ask for.
 */
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import { failure, type Failure } from "./problem.js";
import { answerText, type Route } from "./route.js";

/** The page finds out itself what it shows at each of these. */
const VIEW_PATHS = ["/", "/s/:id", "/s/:id/:tab", "/inbox", "/new", "/races", "/races/:id"] as const;
/** Names with a hash in them, as the build gives them: no way out of the folder. */
const ASSET_NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/;
const ASSET_LIFE_S = 365 * 24 * 3_600;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the build compressed, best first. */
const ENCODINGS = [
  { name: "br", extension: ".br" },
  { name: "gzip", extension: ".gz" },
] as const;

/** `folder`: where the build put the page. */
export function pageRoutes(folder: string): readonly Route[] {
  const view: Route["handle"] = ({ request, response }) =>
    answerFile(request, response, folder, "index.html");
  const asset: Route["handle"] = ({ request, response, params }) => {
    const name = params["name"] ?? "";
    return ASSET_NAME.test(name) ? answerFile(request, response, folder, `assets/${name}`) : nothing();
  };
  return [
    ...VIEW_PATHS.map((path) => ({ method: "GET", path, access: null, handle: view })),
    { method: "GET", path: "/assets/:name", access: null, handle: asset },
  ];
}

async function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  path: string,
): Promise<Failure | null> {
  const mediaType = MEDIA_TYPES[extname(path)];
  if (mediaType === undefined) return nothing();
  const found = await readBest(join(folder, path), request.headers["accept-encoding"]);
  if (found === null) {
    if (path !== "index.html") return nothing();
    answerText(response, 503, "text/plain; charset=utf-8", "The page was not built. Run `npm run build`.\n");
    return null;
  }
  const isHashed = path.startsWith("assets/");
  response.writeHead(200, {
    "content-type": mediaType,
    "content-length": found.bytes.length,
    "cache-control": isHashed ? `public, max-age=${ASSET_LIFE_S}, immutable` : "no-store",
    vary: "accept-encoding",
    ...(found.encoding === null ? {} : { "content-encoding": found.encoding }),
  });
  response.end(found.bytes);
  return null;
}

interface Found {
  readonly bytes: Buffer;
  readonly encoding: string | null;
}

async function readBest(path: string, accepted: string | string[] | undefined): Promise<Found | null> {
  const wanted = acceptedEncodings(String(accepted ?? ""));
  for (const { name, extension } of ENCODINGS) {
    const bytes = wanted.has(name) ? await readIfThere(`${path}${extension}`) : null;
    if (bytes) return { bytes, encoding: name };
  }
  const bytes = await readIfThere(path);
  return bytes && { bytes, encoding: null };
}

/** Those that a client does not refuse by giving them no weight. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const names = header.split(",").flatMap((part) => {
    const [name = "", ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return new Set(names);
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function nothing(): Failure {
  return failure("not_found", "There is nothing at this path.");
}
