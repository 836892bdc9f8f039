/** In this order: Edge calls itself Chrome too, and Chrome calls itself Safari. */
const BROWSERS = [
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Edg", "Edge"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Mac OS X", "macOS"],
  ["Windows", "Windows"],
  ["Linux", "Linux"],
] as const;

/** What a person calls the browser that sends this `User-Agent`. */
export function deviceName(userAgent: string): string {
  const named = (names: typeof BROWSERS | typeof SYSTEMS): string | undefined =>
    names.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = named(SYSTEMS);
  return `${named(BROWSERS) ?? "Browser"}${system === undefined ? "" : ` on ${system}`}`;
}
