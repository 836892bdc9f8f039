import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { Role } from "../../protocol/access.js";
import { ACTING_FOR_HEADER } from "../../protocol/acting-for.js";
import { agentPrincipal, MCP_PRINCIPAL, TOKEN_PRINCIPAL, type Principal } from "../../protocol/principal.js";
import type { Log } from "../log/log.js";
import { deviceName } from "./device-name.js";
import { Devices } from "./devices.js";
import { LoginCodes } from "./login-codes.js";
import { RateLimit } from "./rate-limit.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";
import { digestOf, isSameDigest, isSecret, newSecret } from "./secret.js";

export const COOKIE_NAME = "signalbox";
const COOKIE_LIFE_S = 400 * 24 * 3_600;

/** More than any person opens, and few enough that a program in a loop is noticed. */
const LINKS_PER_MINUTE_MAX = 30;
const WRONG_CODES_PER_MINUTE_MAX = 20;

/** A browser that wants to be signed in. */
export interface Visitor {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/**
 * Who asks, by what they showed: the token, or the cookie of a browser that was signed in; or by where they asked, at the
 * socket of an agent.
 */
export type Identity = (
  | { readonly type: "token" }
  | { readonly type: "device"; readonly deviceId: string }
  | { readonly type: "agent" }
) & {
  /** In whose name. */
  readonly principal: Principal;
  readonly role: Role;
};

/** The token of this data folder, made at the first start. Throws when the file holds something else. */
export async function loadOrCreateToken(dataDir: string, log: Log): Promise<string> {
  const path = join(dataDir, "token");
  const text = await readPrivateFile(path, log);
  if (text !== null) {
    if (!isSecret(text.trim())) throw new Error(`${path} holds no token; delete it to get a new one`);
    return text.trim();
  }
  const token = newSecret();
  await writePrivateFile(path, `${token}\n`);
  return token;
}

export class Auth {
  readonly devices: Devices;
  readonly #tokenDigest: string;
  readonly #codes: LoginCodes;
  readonly #links: RateLimit;
  readonly #wrongCodes: RateLimit;

  static async load(dataDir: string, token: string, log: Log, nowMs: () => number = Date.now): Promise<Auth> {
    return new Auth(token, await Devices.load(dataDir, log, nowMs), nowMs);
  }

  private constructor(token: string, devices: Devices, nowMs: () => number) {
    this.#tokenDigest = digestOf(token);
    this.devices = devices;
    this.#codes = new LoginCodes(nowMs);
    this.#links = new RateLimit(LINKS_PER_MINUTE_MAX, nowMs);
    this.#wrongCodes = new RateLimit(WRONG_CODES_PER_MINUTE_MAX, nowMs);
  }

  /** Null: nobody we know. A wrong token is not made good by a cookie. */
  identify(headers: IncomingHttpHeaders): Identity | null {
    if (headers.authorization !== undefined) {
      const token = /^Bearer +(\S+) *$/i.exec(headers.authorization)?.[1] ?? "";
      if (!isSameDigest(digestOf(token), this.#tokenDigest)) return null;
      return { type: "token", principal: actingFor(headers) ?? TOKEN_PRINCIPAL, role: "own" };
    }
    for (const secret of cookieValues(headers.cookie ?? "")) {
      const device = this.devices.find(secret);
      if (!device) continue;
      const { id, name, role } = device;
      const principal = actingFor(headers) ?? ({ kind: "device", id, name } as const);
      return { type: "device", deviceId: id, principal, role };
    }
    return null;
  }

  /** `role`: of the browser that will sign in with it. Null: too many were made within a minute. */
  createLoginCode(role: Role): string | null {
    if (!this.#links.allows()) return null;
    this.#links.count();
    return this.#codes.create(role);
  }

  /** The cookie for a browser that came with a good code. `limited`: from its address came too many that were not. */
  async login(
    code: string,
    from: Visitor,
    isSecure: boolean,
  ): Promise<{ cookie: string } | "wrong" | "limited"> {
    if (!this.#wrongCodes.allows(from.address)) return "limited";
    const role = this.#codes.take(code);
    if (role === null) {
      this.#wrongCodes.count(from.address);
      return "wrong";
    }
    const secret = await this.devices.add(deviceName(from.userAgent ?? ""), role);
    const attributes = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${COOKIE_LIFE_S}`;
    return { cookie: `${COOKIE_NAME}=${secret}; ${attributes}${isSecure ? "; Secure" : ""}` };
  }
}

/** A client may say that it acts for an agent: that takes rights away. Whatever is not understood takes most of them. */
function actingFor(headers: IncomingHttpHeaders): Principal | null {
  const said = headers[ACTING_FOR_HEADER];
  if (said === undefined) return null;
  const sessionId = /^agent:([A-Za-z0-9_-]{1,64})$/.exec(String(said))?.[1];
  return sessionId === undefined ? MCP_PRINCIPAL : agentPrincipal(sessionId);
}

/** Others may have set a cookie of the same name for this machine: ours is among them. */
function cookieValues(header: string): readonly string[] {
  return header
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${COOKIE_NAME}=`))
    .map((cookie) => cookie.slice(COOKIE_NAME.length + 1))
    .filter(isSecret);
}
