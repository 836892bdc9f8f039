/** Options that mean the same. A deny of `rm -rf` is also meant for `rm --recursive --force`. */

/** Each group is one option: its letters, and its long names. */
const SYNONYMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  chgrp: [["R", "recursive"]],
  chmod: [["R", "recursive"]],
  chown: [["R", "recursive"]],
  cp: [
    ["r", "R", "recursive"],
    ["f", "force"],
  ],
  curl: [
    ["X", "request"],
    ["d", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode"],
    ["F", "form"],
    ["o", "output"],
    ["T", "upload-file"],
    ["k", "insecure"],
  ],
  docker: [["f", "force"]],
  git: [
    ["f", "force"],
    ["d", "delete"],
    ["a", "all"],
    ["n", "no-verify"],
  ],
  kill: [["s", "signal"]],
  ln: [
    ["s", "symbolic"],
    ["f", "force"],
  ],
  mv: [["f", "force"]],
  npm: [["g", "global"]],
  rm: [
    ["r", "R", "recursive"],
    ["f", "force"],
    ["d", "dir"],
  ],
  sed: [["i", "in-place"]],
};

const NONE: readonly (readonly string[])[] = [];

/** The option itself, and the others that mean the same to this program. Names are without dashes. */
export function synonymsOf(program: string, option: string): readonly string[] {
  const groups = Object.hasOwn(SYNONYMS, program) ? (SYNONYMS[program] ?? NONE) : NONE;
  return groups.find((group) => group.includes(option)) ?? [option];
}
