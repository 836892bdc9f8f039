/** What a browser shows that came with a link which does not sign it in (any more). */
import { createHash } from "node:crypto";
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

/**
 * The command that gives a new link, as it can be typed here: by its name where that leads to this very program, else by
 * where the program is.
 */
export function openCommand(
  dataDir: string | null,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const isOnPath = (variables["PATH"] ?? "").split(delimiter).some((folder) => leadsHere(folder));
  const program = isOnPath ? "signalbox" : `node ${quoted(PROGRAM)}`;
  return `${program} open${dataDir === null ? "" : ` --data-dir ${quoted(dataDir)}`}`;
}

function leadsHere(folder: string): boolean {
  if (folder === "") return false;
  const path = join(folder, "signalbox");
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path) === realpathSync(PROGRAM);
  } catch {
    return false;
  }
}

/** As a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const STYLE = `
:root{color-scheme:light dark}
body{max-width:34rem;margin:16vh auto 0;padding:0 1rem;background:light-dark(#f6f6f4,#101214);color:light-dark(#1a1c1e,#e9ebed);font:16px/1.5 system-ui,sans-serif}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem;color:light-dark(#4f5459,#aab1b8)}
pre{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid light-dark(#e2e2de,#282d32);border-radius:6px;background:light-dark(#fff,#181b1e);overflow-wrap:anywhere;white-space:pre-wrap;font:.9rem/1.5 ui-monospace,monospace}
a{color:light-dark(#2353d1,#82a9ff)}
`;

/** Nothing but this one style. */
export const LINK_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function linkPage(heading: string, sentence: string, command: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox: ${escaped(heading)}</title>
<style>${STYLE}</style>
<h1>${escaped(heading)}</h1>
<p>${escaped(sentence)}</p>
<pre><code>${escaped(command)}</code></pre>
<p>A browser that has signed in before needs no link: <a href="/">open the page</a>.</p>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
