/** The files that a patch of Codex (`apply_patch`) changes. */

const FILE_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$/gm;

export function patchedFiles(patch: string): readonly { readonly path: string; readonly exact: true }[] {
  return [...patch.matchAll(FILE_LINE)].map((match) => ({ path: match[1] ?? "", exact: true }));
}
