/** The one way in which the name of a host is written, however a rule or a call writes it. */

/**
 * Small letters, no dot at the end, no brackets around an IPv6 address. An IPv4 address is four decimal numbers, also where
 * it stands in hexadecimal, in one number or inside an IPv6 address. Stars stay.
 */
export function normalHost(host: string): string {
  const plain = withoutBrackets(withoutLastDots(plainLetters(host)));
  if (plain.includes("*")) return plain;
  if (plain.includes(":")) return normalIpv6(plain) ?? plain;
  return normalIpv4(plain) ?? plain;
}

/** Wide letters and encoded ones stand for plain ones. No star comes into being here. */
function plainLetters(host: string): string {
  return host
    .replace(/%([2-7][0-9a-f])/gi, (encoded, code: string) => {
      const char = String.fromCharCode(Number.parseInt(code, 16));
      return /[\w.-]/.test(char) ? char : encoded;
    })
    .normalize("NFC")
    .replace(/[^\0-\x7f]+/g, (text) => text.normalize("NFKC").replace(/[*\\]/g, ""))
    .replaceAll("\u3002", ".")
    .toLowerCase();
}

function withoutLastDots(host: string): string {
  let end = host.length;
  while (end > 1 && host[end - 1] === ".") end -= 1;
  return host.slice(0, end);
}

function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

const BYTE = 256;

/** Null when it is no address. Of fewer than four numbers, the last one fills what is left. */
function normalIpv4(host: string): string | null {
  const numbers = host.split(".", 5).map(numberOf);
  const last = numbers.pop() ?? null;
  if (last === null || numbers.length > 3 || last >= BYTE ** (4 - numbers.length)) return null;
  const bytes = [0, 1, 2, 3].map((index) => {
    const number = numbers[index];
    return number === undefined ? Math.floor(last / BYTE ** (3 - index)) % BYTE : number;
  });
  return numbers.every((number) => number !== null && number < BYTE) ? bytes.join(".") : null;
}

/** As the system reads it: `0x7f` and `0177` are 127. */
function numberOf(text: string): number | null {
  if (/^0x[0-9a-f]*$/.test(text)) return Number.parseInt(`0${text.slice(2)}`, 16);
  if (/^0[0-7]*$/.test(text)) return Number.parseInt(text, 8);
  return /^[1-9][0-9]*$/.test(text) ? Number(text) : null;
}

const GROUP_COUNT = 8;
const LENGTH_MAX = 64;

/** Null when it is no address. One that only stands for an IPv4 address is written as that. */
function normalIpv6(host: string): string | null {
  const groups = host.length > LENGTH_MAX ? null : groupsOf(host);
  if (groups === null) return null;
  const [high = 0, low = 0] = groups.slice(-2);
  if (groups.slice(0, -2).join() === "0,0,0,0,0,65535")
    return [high >> 8, high % BYTE, low >> 8, low % BYTE].join(".");
  return shortened(groups.map((group) => group.toString(16)));
}

function groupsOf(host: string): readonly number[] | null {
  const [before = "", after, more] = host.split("::", 3);
  if (more !== undefined) return null;
  const [start, end] = [numbersIn(before), numbersIn(after ?? "")];
  if (start === null || end === null) return null;
  const missing = GROUP_COUNT - start.length - end.length;
  if (after === undefined ? missing !== 0 : missing < 1) return null;
  return [...start, ...Array.from({ length: missing }, () => 0), ...end];
}

function numbersIn(text: string): readonly number[] | null {
  if (text === "") return [];
  const groups = text.split(":").flatMap((group) => {
    const bytes = group.includes(".") ? normalIpv4(group)?.split(".").map(Number) : undefined;
    if (!bytes) return [/^[0-9a-f]{1,4}$/.test(group) ? Number.parseInt(group, 16) : null];
    const [a = 0, b = 0, c = 0, d = 0] = bytes;
    return [a * BYTE + b, c * BYTE + d];
  });
  return groups.every((group) => group !== null) ? groups : null;
}

/** The longest row of zeros is left out. */
function shortened(groups: readonly string[]): string {
  const text = groups.join(":");
  const rows = text.match(/\b0(?::0\b)+/g) ?? [];
  const longest = rows.reduce((best, row) => (row.length > best.length ? row : best), "");
  if (longest === "") return text;
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  const [start, end] = [text.slice(0, at), text.slice(at + longest.length)];
  return `${start.replace(/:$/, "")}::${end.replace(/^:/, "")}`;
}
