/** `git`: settings given on the line, and the options and commands of it that run programs. */
import { hidesOption } from "./computed-options.js";
import { hasOption, skipOptions } from "./option-words.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Unwrapped } from "./unwrapped.js";

export const GIT_GLOBAL = {
  letters: "Cc",
  long: ["git-dir", "work-tree", "namespace", "super-prefix", "config-env"],
};

/** Settings name programs: pagers, editors, helpers, aliases. */
const SETS = /^(?:-c|--config|--exec-path|--git-dir)/;

/** Settings that name nothing which is run, read or called. With their values, as they stand behind `-c`. */
const HARMLESS_SETTING = new RegExp(
  [
    "color\\.[\\w.-]+=[\\w -]*",
    "(?:advice|column|status|i18n|rerere)\\.\\w+=[\\w,-]*",
    "user\\.(?:name|email)=.*",
    "core\\.(?:quotepath|autocrlf|safecrlf|abbrev|longpaths|filemode)=\\w*",
    "(?:core\\.)?pager(?:\\.\\w+)?=(?:cat|false)?",
    "core\\.editor=(?:true|:)",
    "commit\\.gpgsign=false",
    "diff\\.(?:algorithm|renames|noprefix|mnemonicprefix|context|colormoved|renamelimit)=[\\w-]*",
    "log\\.(?:date|decorate|abbrevcommit|follow)=[\\w:%. -]*",
    "merge\\.(?:conflictstyle|renamelimit)=\\w*",
    "(?:init\\.defaultbranch|pull\\.rebase|pull\\.ff|push\\.default|fetch\\.prune|gc\\.auto)=[\\w./-]*",
  ]
    .map((each) => `^${each}$`)
    .join("|"),
  "i",
);

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
  difftool: "xt",
  grep: "O",
  help: "w",
  mergetool: "t",
  rebase: "x",
};

/** Long options that do, of one command; and those that write where nobody looks. */
const LONG_OF_COMMAND: Readonly<Record<string, readonly string[]>> = {
  apply: ["unsafe-paths"],
  "cat-file": ["filters"],
  "checkout-index": ["prefix"],
  clone: ["template", "config"],
  difftool: ["tool"],
  help: ["web"],
  init: ["template"],
  "interpret-trailers": ["in-place"],
  mergetool: ["tool"],
};

const ANY = /^/;

/** Commands whose words are a command, or that give out secrets, or start something that stays. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  bisect: /^run$/,
  submodule: /^foreach$/,
  "filter-branch": ANY,
  "filter-repo": ANY,
  archimport: ANY,
  citool: ANY,
  credential: ANY,
  cvsimport: ANY,
  cvsserver: ANY,
  daemon: ANY,
  "for-each-repo": ANY,
  gui: ANY,
  hook: /^run$/,
  "http-backend": ANY,
  "imap-send": ANY,
  instaweb: ANY,
  "merge-index": ANY,
  maintenance: /^(?:start|register)$/,
  p4: ANY,
  "receive-pack": ANY,
  "remote-ext": ANY,
  "remote-fd": ANY,
  "send-email": ANY,
  shell: ANY,
  svn: ANY,
  "upload-archive": ANY,
  "upload-pack": ANY,
  "web--browse": ANY,
};

export function unwrapGit(words: readonly ShellWord[]): Unwrapped | null {
  const { index, isSure } = skipOptions(words, 1, GIT_GLOBAL);
  const [command, ...rest] = words.slice(index);
  const seen = [glimpse(words.slice(1).map(withoutSetting))];
  if (!isSure) return hides("it cannot be seen which command of git is run", seen);
  if (setsOnLine(words.slice(1, index))) return hides("a setting of git on the line can run a program", seen);
  if (!command) return null;
  const letters = Object.hasOwn(RUNNING_LETTERS, command.value) ? RUNNING_LETTERS[command.value] : "";
  const long = Object.hasOwn(LONG_OF_COMMAND, command.value) ? LONG_OF_COMMAND[command.value] : [];
  if (hasOption(rest, letters ?? "", [...RUNNING_LONG, ...(long ?? [])]))
    return hides(`an option of git ${command.value} can run a program`, seen);
  if (hidesOption(`git ${command.value}`, rest))
    return hides(`a computed word may be an option of git ${command.value} that runs a program`, seen);
  // Each helper that keeps credentials is a command of its own.
  const kind = command.value.replace(/^credential-.*$/, "credential");
  const runner = Object.hasOwn(RUNNERS, kind) ? RUNNERS[kind] : undefined;
  if (runner && (runner === ANY || rest.some((word) => word.unknown || runner.test(word.value))))
    return hides(`git ${command.value} runs what it is given`, seen);
  if (command.value === "config" && changesSettings(rest))
    return hides("a setting of git can run a program", seen);
  if (words.some((word) => /(?:^|=)(?:ext|fd)::/.test(word.value)))
    return hides("an address of git can run a program", seen);
  return unwrapPush(command.value, rest);
}

/** Other commands of git that push are `git push`, to every rule that denies or asks. */
function unwrapPush(command: string, rest: readonly ShellWord[]): Unwrapped | null {
  const pushed = rest.findIndex(({ value }) => value === "push");
  const isPush = /^(?:send-pack|http-push)$/.test(command) || (command === "subtree" && pushed !== -1);
  if (!isPush) return null;
  const words = [...["git", "push"].map(literalWord), ...rest.slice(pushed + 1)];
  return runs([{ type: "words", words, isSeen: true }]);
}

function setsOnLine(options: readonly ShellWord[]): boolean {
  return options.some((word, at) => {
    if (!SETS.test(word.value)) return false;
    const setting = options[at + 1];
    return word.value !== "-c" || !setting || setting.unknown || !HARMLESS_SETTING.test(setting.value);
  });
}

/** Reading a setting takes a name; a second word is its new value. */
function changesSettings(words: readonly ShellWord[]): boolean {
  const { index, isSure } = skipOptions(words, 0, {
    letters: "f",
    long: ["file", "blob", "type", "default"],
  });
  const isReading = words
    .slice(0, index)
    .some(({ value }) => /^(?:-l|--list|--get[a-z-]*|--name-only|--show-[a-z]+)$/.test(value));
  const [first, second] = words.slice(index);
  if (!isSure || hasOption(words.slice(0, index), "e", ["edit", "add", "replace-all", "unset", "unset-all"]))
    return true;
  if (isReading || second === undefined || first?.value === "get" || first?.value === "list") return false;
  const given = words.slice(first?.value === "set" ? index + 1 : index);
  const [name, value, ...more] = given;
  const isPlain = name?.unknown === false && value?.unknown === false && more.length === 0;
  return (
    !isPlain || namesFile(words.slice(0, index)) || !HARMLESS_SETTING.test(`${name.value}=${value.value}`)
  );
}

function namesFile(options: readonly ShellWord[]): boolean {
  return !options.every(({ value }) => /^--(?:global|local|worktree)$/.test(value));
}

/** `alias.x=!rm -rf` as `rm -rf`. */
function withoutSetting(word: ShellWord): ShellWord {
  return { ...word, value: word.value.replace(/^(-c\s*)?[\w.-]+=!?/, "") };
}
