import type { Client } from "../client/client.js";
import { openInBrowser } from "./browser.js";
import { print } from "./print.js";

/** Prints a link that signs a browser in once, and opens it when somebody looks. On stderr, where stdout is for a value. */
export async function showLoginLink(
  client: Client,
  { browse, aside = false }: { readonly browse: boolean; readonly aside?: boolean },
): Promise<void> {
  const { url } = await client.createLoginLink({ role: "own" });
  // Programs get the link alone.
  const words = "This link signs one browser in, once, within an hour:\n  ";
  if (aside) process.stderr.write(`${process.stderr.isTTY ? words : ""}${url}\n`);
  else await print(`${process.stdout.isTTY ? words : ""}${url}\n`);
  if (browse && !(await openInBrowser(url))) {
    process.stderr.write("signalbox: no browser could be opened; the link works once, in any browser here\n");
  }
}
