/** Names that lead elsewhere than they seem to, and programs by other names and other ways in. */
import { under, type CaseRules } from "./shell-case.js";

/** Everything is allowed, but for some files and a program. */
const GUARDED: CaseRules = {
  allow: ["Shell", "Read", "Write"],
  deny: ["Read(secret/**)", "Write(locked/**)", "Shell(evil)"],
};

export const PATH_CASES = [
  ...under(
    GUARDED,
    "a home folder that is not known, and folders of a process",
    ["cat ~nobody-here/../srv/app/secret/token", "ask"],
    ["cd ~nobody-here/../srv/app && cat secret/token", "ask"],
    ["echo x > ~nobody-here/../srv/app/locked/data", "ask"],
    ["cat /proc/self/fd/3/token 3< src", "ask"],
    ["cat ~/notes ~ann/notes", "allow"],
    ["cat /dev/stdin", "allow"],
    ["cat /proc/self/fd/0 /proc/self/status /proc/cpuinfo", "allow"],
    ["npm test > /proc/self/fd/2", "allow"],
    ["npm install lodash@~4.17.0 left-pad@~x", "allow"],
    ["git diff HEAD~1 main~2/src", "allow"],
  ),
];
