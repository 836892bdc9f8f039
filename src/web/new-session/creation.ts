import type { CallArguments, CallResult, Client } from "../../client/client.js";

type Wanted = CallArguments<"createSession">[0];

/**
 * One session for one wish, however often somebody presses. While an answer is awaited nothing more is sent; a wish that
 * is repeated after a lost answer carries the same id, and the daemon answers it once.
 */
export class Creation {
  private isUnderWay = false;
  private last: { readonly wish: string; readonly clientId: string } | null = null;

  constructor(private readonly client: Pick<Client, "createSession">) {}

  /** Null when another is under way. Rejects as the call does. */
  async create(wanted: Wanted): Promise<CallResult<"createSession"> | null> {
    if (this.isUnderWay) return null;
    this.isUnderWay = true;
    const wish = JSON.stringify(wanted);
    const clientId = this.last?.wish === wish ? this.last.clientId : newId();
    this.last = { wish, clientId };
    try {
      const session = await this.client.createSession({ ...wanted, clientId });
      this.last = null;
      return session;
    } finally {
      this.isUnderWay = false;
    }
  }
}

/** `randomUUID` is not there on an address that the browser does not trust. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
