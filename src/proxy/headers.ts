/** Of these a proxy's own connection is made, not the message: they are not passed on. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** In pairs, as Node has them. `host`: in the place of what the client says, so that what was checked is what is asked for. */
export function forwardedHeaders(raw: readonly string[], host?: string): string[] {
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : [],
  );
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name.toLowerCase() === "connection" ? value.split(",").map((each) => each.trim().toLowerCase()) : [],
    ),
  );
  const kept = pairs.filter(([name]) => {
    const lower = name.toLowerCase();
    return !OF_THE_CONNECTION.has(lower) && !named.has(lower) && !(host !== undefined && lower === "host");
  });
  return [...(host === undefined ? [] : ["Host", host]), ...kept.flat()];
}
