/** The name of a program or file, without the folders before it, and without the ending of Windows. */
export function programName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  return OTHER_NAMES.get(name) ?? VERSIONED.exec(name)?.[1] ?? name;
}

/** Other names of programs that our tables know. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bat: "batcat",
    fd: "fdfind",
    gpg: "gpg2",
    less: "lessecho pager sensible-pager",
    make: "gmake bmake pmake remake",
    mysql: "mariadb",
    sed: "gsed",
    tar: "gtar bsdtar",
    vim: "ex exim editor evim eview gex gview gvim gvimdiff nvim rgview rgvim rview rvim sensible-editor select-editor vi view vim.basic vim.gtk3 vim.nox vim.tiny vimdiff",
    // What Homebrew calls those of GNU.
    ...Object.fromEntries(
      "awk cat chgrp chmod chown comm cp csplit cut date dd diff3 du env expand find grep head install join ln ls mkdir mv nice nl nohup od paste readlink realpath rm rmdir sdiff shred shuf sort split stat stdbuf tac tail tee test timeout touch truncate uniq wc xargs"
        .split(" ")
        .map((name) => [name, `g${name}`]),
    ),
  }).flatMap(([name, others]) => others.split(" ").map((other) => [other, name] as const)),
);

/** `gcc-12`, `node18`, `pip3.11`: Python's own versions are known to who reads its words. */
const VERSIONED =
  /^(c\+\+|cc|clang|clang\+\+|g\+\+|gcc|gdb|ghc|guile|java|julia|lldb|lua|node|nodejs|perl|php|pip|psql|pytest|ruby|tclsh)-?\d[\d.]*$/;
