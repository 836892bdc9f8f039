/** Two connections as one: bytes go both ways, no faster than whoever takes them. */
import type { Duplex } from "node:stream";

export interface TunnelOptions {
  /** What the client has sent already. */
  readonly early?: readonly Buffer[];
  /** Nothing at all, either way, for so long: a model that thinks is silent for minutes. */
  readonly idleMsMax: number;
  /** The same, once one side has said all. */
  readonly halfIdleMsMax: number;
}

/** Ends both when either breaks. */
export function tunnel(
  client: Duplex,
  server: Duplex,
  { early = [], idleMsMax, halfIdleMsMax }: TunnelOptions,
): void {
  const destroyBoth = (): void => {
    client.destroy();
    server.destroy();
  };
  let timer = setTimeout(destroyBoth, idleMsMax);
  let isHalf = false;
  const halve = (): void => {
    if (isHalf) return;
    isHalf = true;
    clearTimeout(timer);
    timer = setTimeout(destroyBoth, halfIdleMsMax);
  };
  const join = (from: Duplex, to: Duplex): void => {
    from.on("error", destroyBoth);
    from.on("data", () => timer.refresh());
    from.on("end", halve);
    from.on("close", () => {
      if (to.destroyed) clearTimeout(timer);
      // Whoever has broken off takes nothing any more, and what it did not say is not coming.
      else if (!from.readableEnded || to.readableEnded) to.destroy();
    });
    from.pipe(to);
  };
  for (const chunk of early) server.write(chunk);
  join(client, server);
  join(server, client);
  if (client.destroyed || server.destroyed) destroyBoth();
}
