/** `git`: settings given on the line, and the commands of it that run programs, push, or only read files. */
import { programName } from "./program-name.js";
import { skipOptions } from "./option-words.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Unwrapped } from "./unwrapped.js";

const GLOBAL = { letters: "Cc", long: ["git-dir", "work-tree", "namespace", "config-env"] };

/** Settings that name nothing which is run, read or called. With their values, as they stand behind `-c`. */
const HARMLESS_SETTING =
  /^(?:color\.[\w.-]+=[\w -]*|user\.(?:name|email)=.*|(?:core\.)?pager(?:\.\w+)?=(?:cat|false)?|core\.(?:quotepath|autocrlf|editor)=(?:true|false|:)?|commit\.gpgsign=false|(?:advice|diff|log|merge|init|pull|push|fetch|gc)\.\w+=[\w./-]*)$/i;

/** Commands whose words are a command, or that give out secrets. */
const RUNS_WORDS =
  /^(?:bisect run|submodule foreach|rebase (?:-x|--exec)|hook run|(?:filter-branch|filter-repo|credential[\w-]*|daemon|difftool|mergetool|shell|send-email|instaweb|gui|upload-pack|receive-pack)(?: .*)?)/;

/** Commands that change no file which they name. */
const ONLY_READS = /^(?:add|blame|commit|describe|diff|grep|log|ls-files|rev-parse|shortlog|show|status)$/;

export function unwrapGit(words: readonly ShellWord[]): Unwrapped | null {
  const dashed = /^git-(.+)$/.exec(programName(words[0]?.value ?? ""))?.[1];
  // `git-push` is `git push`, to every rule that denies or asks.
  if (dashed !== undefined) return seenAs(["git", dashed], words.slice(1));
  const { index, isSure } = skipOptions(words, 1, GLOBAL);
  const [command, ...rest] = words.slice(index);
  const seen = [glimpse(words.slice(1).map(withoutSetting))];
  if (!isSure) return hides("it cannot be seen which command of git is run", seen);
  if (setsOnLine(words.slice(1, index))) return hides("a setting of git on the line can run a program", seen);
  if (!command) return null;
  const line = [command, ...rest].map(({ value }) => value);
  if (RUNS_WORDS.test(line.join(" ")) || (command.value === "rebase" && rest.some(isExec)))
    return hides(`git ${command.value} runs what it is given`, seen);
  if (command.value === "config" && changesSettings(rest))
    return hides("a setting of git can run a program", seen);
  if (words.some((word) => /(?:^|=)(?:ext|fd)::|^--(?:upload|receive)-pack/.test(word.value)))
    return hides("an address of git can run a program", seen);
  // Other commands of git that push are `git push`, to every rule that denies or asks.
  const pushed = command.value === "subtree" ? line.indexOf("push") : -1;
  if (pushed !== -1) return seenAs(["git", "push"], rest.slice(pushed));
  return /^(?:send-pack|http-push)$/.test(command.value) ? seenAs(["git", "push"], rest) : null;
}

/** Whether it leaves the files that it names as they are. */
export function onlyReadsFiles(words: readonly ShellWord[]): boolean {
  const { index, isSure } = skipOptions(words, 1, GLOBAL);
  return (
    isSure &&
    ONLY_READS.test(words[index]?.value ?? "") &&
    !words.some(({ value }) => value.startsWith("--output"))
  );
}

/** Words that the shell computes, and that are surely the message behind `-m`: no option, whatever they hold. */
export function messagesOf(words: readonly ShellWord[]): readonly number[] {
  return words.flatMap(({ unknown, isOneWord }, at) =>
    unknown && isOneWord && /^(?:-[a-z]*m|--message)$/.test(words[at - 1]?.value ?? "") ? [at] : [],
  );
}

function seenAs(names: readonly string[], rest: readonly ShellWord[]): Unwrapped {
  return runs([{ type: "words", words: [...names.map(literalWord), ...rest], isSeen: true }]);
}

function isExec({ value }: ShellWord): boolean {
  return /^(?:-[a-z]*x|--ex)/.test(value);
}

/** Settings name programs: pagers, editors, helpers, aliases. */
function setsOnLine(options: readonly ShellWord[]): boolean {
  return options.some((word, at) => {
    if (!/^(?:-c|--config|--exec-path|--git-dir)/.test(word.value)) return false;
    const setting = options[at + 1];
    return word.value !== "-c" || !setting || setting.unknown || !HARMLESS_SETTING.test(setting.value);
  });
}

/** Reading a setting takes a name; a second word is its new value. */
function changesSettings(words: readonly ShellWord[]): boolean {
  const isReading = words.some(({ value }) =>
    /^(?:-l|--list|--get[a-z-]*|--show-[a-z]+|get|list)$/.test(value),
  );
  const given = words.filter(({ value }) => !/^(?:--(?:global|local|worktree)|set)$/.test(value));
  const [name, value, ...more] = given;
  if (words.some((word) => word.unknown)) return true;
  if (isReading || (given.length === 1 && !name?.value.startsWith("-"))) return false;
  return more.length > 0 || !HARMLESS_SETTING.test(`${name?.value ?? ""}=${value?.value ?? ""}`);
}

/** `alias.x=!rm -rf` as `rm -rf`. */
function withoutSetting(word: ShellWord): ShellWord {
  return { ...word, value: word.value.replace(/^(-c\s*)?[\w.-]+=!?/, "") };
}
