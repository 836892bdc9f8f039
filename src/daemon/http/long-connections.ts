import type { Duplex } from "node:stream";
import type { Identity } from "./auth.js";

/** Connections that stay: event streams and terminals. A browser that is signed out loses its own at once. */
export class LongConnections {
  readonly #owners = new Map<Duplex, Identity>();

  hold(socket: Duplex, owner: Identity): void {
    if (socket.destroyed || this.#owners.has(socket)) return;
    this.#owners.set(socket, owner);
    socket.once("close", () => this.#owners.delete(socket));
  }

  cutDevice(deviceId: string): void {
    for (const [socket, owner] of this.#owners) {
      if (owner.type === "device" && owner.deviceId === deviceId) socket.destroy();
    }
  }

  cutAll(): void {
    for (const socket of this.#owners.keys()) socket.destroy();
  }
}
