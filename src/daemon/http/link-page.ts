/** What a browser shows that came with a link which does not sign it in (any more). */
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

export function linkPage(heading: string, sentence: string, command: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox: ${escaped(heading)}</title>
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
