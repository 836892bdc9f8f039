/** `git`: settings given on the line, and the options and commands of it that run programs. */
import { hasOption, skipOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";

const GLOBAL = { letters: "Cc", long: ["git-dir", "work-tree", "namespace", "super-prefix", "config-env"] };

/** Settings name programs: pagers, editors, helpers, aliases. */
const SETS = /^(?:-c|--config|--exec-path)/;

const RUNNING_LONG = [
  "upload-pack",
  "receive-pack",
  "exec",
  "extcmd",
  "open-files-in-pager",
  "ext-diff",
  "textconv",
  "sendmail-cmd",
  "to-cmd",
  "cc-cmd",
  "smtp-server",
  "httpd",
];

/** Letters mean something else to each command. */
const RUNNING_LETTERS: Readonly<Record<string, string>> = {
  clone: "uc",
  difftool: "x",
  grep: "O",
  rebase: "x",
};

/** Commands whose words are a command. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  bisect: /^run$/,
  submodule: /^foreach$/,
  "filter-branch": /^/,
  "filter-repo": /^/,
  daemon: /^/,
};

export function unwrapGit(words: readonly ShellWord[]): Unwrapped | null {
  const { index, isSure } = skipOptions(words, 1, GLOBAL);
  const [command, ...rest] = words.slice(index);
  const seen = [glimpse(words.slice(1).map(withoutSetting))];
  if (!isSure) return hides("it cannot be seen which command of git is run", seen);
  if (words.slice(1, index).some((word) => SETS.test(word.value)))
    return hides("a setting of git on the line can run a program", seen);
  if (!command) return null;
  const letters = Object.hasOwn(RUNNING_LETTERS, command.value) ? RUNNING_LETTERS[command.value] : "";
  if (hasOption(rest, letters ?? "", RUNNING_LONG))
    return hides(`an option of git ${command.value} can run a program`, seen);
  const runner = Object.hasOwn(RUNNERS, command.value) ? RUNNERS[command.value] : undefined;
  if (runner && rest.some((word) => runner.test(word.value)))
    return hides(`git ${command.value} runs what it is given`, seen);
  if (words.some((word) => /(?:^|=)(?:ext|fd)::/.test(word.value)))
    return hides("an address of git can run a program", seen);
  return null;
}

/** `alias.x=!rm -rf` as `rm -rf`. */
function withoutSetting(word: ShellWord): ShellWord {
  return { ...word, value: word.value.replace(/^(-c\s*)?[\w.-]+=!?/, "") };
}
