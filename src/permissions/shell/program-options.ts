/**
 * Programs that only seem to read or show something, and can run another, by options that few people know. Lines that use
 * them are never allowed: who allowed `sort *` did not mean `sort --compress-program`. Most are in GTFOBins.
 */
import { hidesOption } from "./computed-options.js";
import { hasOption, isOptionWord, type ValueOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { ownOptionsEnd } from "./unwrap-package-runner.js";
import type { Folders } from "./working-folders.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";

interface RunningOptions {
  readonly letters?: string;
  /** Shortened names count as well. */
  readonly long?: readonly string[];
  /** Words that are no options, such as `+!id` of less. */
  readonly word?: RegExp;
  /** What stands behind `--` is for another program. */
  readonly isForItself?: true;
  /** Options that name what is run: fine as long as that is in the folder, or below it. */
  readonly elsewhere?: ValueOptions;
  /** Options whose value says whether they run something. `attached`: letters before which there is another value. */
  readonly values?: readonly (ValueOptions & { readonly risky: RegExp })[];
  /** Words behind `--` that are not only for another program. */
  readonly behind?: RegExp;
  /** Its options end where the name of a script stands. */
  readonly isBeforeScript?: true;
}

const EDITOR: RunningOptions = { letters: "cSsuUwWi", long: ["cmd", "remote"], word: /^\+/ };
const PAGER: RunningOptions = {
  letters: "kP",
  long: ["lesskey-file", "lesskey-src", "lesskey-content"],
  word: /^\+/,
};

const COMPILER: RunningOptions = {
  word: /^--?(?:wrapper|fplugin|specs|ld-path|load|fpass-plugin|config)|^-B|^--prefix|^-Wl,.*-plugin|^-Xlinker$|^-fuse-ld=.*\/|^@/,
};
const LINKER: RunningOptions = { long: ["plugin"] };
/** Only before `--`: what is behind it is for the script. */
const SCRIPTS: RunningOptions = {
  long: [
    "script-shell",
    "node-options",
    "userconfig",
    "globalconfig",
    "shell",
    "editor",
    "viewer",
    "git",
    "browser",
    "call",
    "use-yarnrc",
  ],
  isForItself: true,
  elsewhere: { letters: "C", long: ["prefix", "cwd", "dir"] },
};
/** Tools that run the tests, or the configuration, of the folder they are told of. */
const TESTS: RunningOptions = {
  long: ["globalSetup", "setupFiles", "runner", "testRunner", "resolver", "pdbcls"],
  elsewhere: {
    letters: "cr",
    long: [
      ..."config root rootDir roots rootdir confcutdir reporters reporter environment testEnvironment preset".split(
        " ",
      ),
      ..."transform setupFilesAfterEnv snapshotResolver testSequencer testResultsProcessor globalTeardown".split(
        " ",
      ),
      ..."watchPlugins filter haste moduleNameMapper modulePaths moduleDirectories projects".split(" "),
    ],
  },
};
const SCRIPT: RunningOptions = {
  isBeforeScript: true,
  elsewhere: {
    letters: "r",
    long: "import require loader experimental-loader test-reporter test-global-setup env-file experimental-config-file snapshot-blob openssl-config".split(
      " ",
    ),
  },
};
const SEARCHER: RunningOptions = { long: ["pager"] };
const CODE: RunningOptions = { word: /^/ };
const LATEX: RunningOptions = { word: /^--?(?:shell-escape|enable-write18)|write18|directlua/ };
const CONNECTION: RunningOptions = { letters: "ce", long: ["exec", "sh-exec", "lua-exec"] };

const RUNNING_OPTIONS: Readonly<Record<string, RunningOptions>> = {
  ack: SEARCHER,
  ag: SEARCHER,
  ansible: { letters: "am", long: ["args", "module-name"] },
  "ansible-playbook": { elsewhere: { letters: "i", long: ["inventory"] } },
  apt: { letters: "oc", long: ["option", "config-file"] },
  "apt-get": { letters: "oc", long: ["option", "config-file"] },
  ar: LINKER,
  aria2c: { word: /^--on-/ },
  bat: { long: ["pager"] },
  bazel: { long: ["run_under", "bazelrc"] },
  bc: { word: /^[^-]/ },
  borg: { long: ["rsh", "remote-path"] },
  bpftrace: { letters: "e", long: ["unsafe"] },
  busctl: { word: /unixexec:/ },
  "c++": COMPILER,
  cargo: {
    long: ["config"],
    isForItself: true,
    behind: /linker|link-arg|codegen-backend|^-Z/,
    word: /^\+.*\//,
    elsewhere: { letters: "C", long: ["manifest-path"] },
  },
  cc: COMPILER,
  certbot: { word: /-hook/ },
  clang: COMPILER,
  "clang++": COMPILER,
  cmake: {
    long: ["toolchain"],
    // Its letters stand alone, with or without a space behind them.
    word: /^-[PEC]|^(?:-D)?CMAKE_(?:MAKE_PROGRAM|\w+_COMPILER|\w*LAUNCHER|PROJECT_\w*INCLUDE\w*|TOOLCHAIN)/,
  },
  code: { word: /^tunnel$/ },
  cpio: { long: ["rsh-command"] },
  cowsay: { letters: "f" },
  csvtool: { word: /^call$/ },
  curl: { letters: "K", long: ["config", "engine"] },
  dc: { letters: "ef", long: ["expression", "file"] },
  diff3: { long: ["diff-program"] },
  dmsetup: { long: ["exec"] },
  dnsmasq: { long: ["conf-script", "dhcp-script", "conf-file"], letters: "C6" },
  dpkg: { letters: "i", long: ["pre-invoke", "post-invoke", "install", "root"] },
  emacs: { letters: "lf", long: ["eval", "execute", "funcall", "load", "script", "batch", "insert"] },
  enscript: { letters: "I", long: ["filter"] },
  eslint: {
    long: ["rulesdir", "resolve-plugins-relative-to"],
    elsewhere: { letters: "cf", long: ["config", "format", "plugin", "parser"] },
  },
  exiftool: { word: /^-(?:if|config|execute)/ },
  "file-rename": CODE,
  facter: { long: ["custom-dir", "external-dir"] },
  fastfetch: { letters: "c", long: ["config"] },
  fd: { letters: "xX", long: ["exec", "exec-batch"] },
  fzf: { long: ["bind", "preview", "listen", "listen-unsafe", "become"] },
  "g++": COMPILER,
  gcc: COMPILER,
  gdb: { word: /^--?(?:ex|iex|x|ix|command|init-command|eval-command|init-eval-command|args)(?:=|$)/ },
  gem: { letters: "e", word: /^(?:open|build|install)$/ },
  gh: { word: /^(?:alias|extensions?|ext|--upload-pack.*|--config)$|^core\.\w+=/ },
  go: {
    word: /^--?(?:toolexec|vettool|exec|overlay|modfile|pkgdir)(?:=|$)|-extld|^-w$/,
    elsewhere: { letters: "C" },
  },
  gpg: { long: ["exec-path", "photo-viewer", "agent-program", "dirmngr-program", "options", "homedir"] },
  gradle: {
    letters: "I",
    long: ["init-script", "include-build"],
    elsewhere: { letters: "bpcg", long: ["build-file", "project-dir"] },
  },
  gtester: { word: /^[^-]/ },
  helm: { long: ["post-renderer"], word: /^plugin$/, elsewhere: { long: ["kubeconfig"] } },
  hg: { long: ["config"] },
  install: { word: /^--strip-/ },
  ip: { word: /^(?:-b|-ba|-bat|-batch|--batch|exec)$/ },
  java: { word: /^-(?:javaagent|agentpath|agentlib|XX:On)|^@/ },
  jest: TESTS,
  knife: { word: /^exec$/ },
  kubectl: { long: ["kubeconfig", "exec-command"], isForItself: true },
  latex: LATEX,
  latexmk: { letters: "er", word: /^-(?:pdf|la|dvi)?(?:latex|ps|dvi)=/ },
  // It may run a program to see what it needs; of those of the system that is known.
  ldd: { word: /^(?!-|\/(?:usr|bin|sbin|lib|lib64|opt)\/)/ },
  less: PAGER,
  lftp: { letters: "ce" },
  lldb: { letters: "osOSkK", long: ["one-line", "source"] },
  logrotate: { letters: "m", long: ["mail"] },
  lualatex: LATEX,
  luatex: LATEX,
  mail: { long: ["exec"] },
  make: {
    letters: "E",
    long: ["eval"],
    // `X!=id` runs id.
    word: /^\s*(?:SHELL|MAKE|MAKESHELL|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS|\.SHELLFLAGS|CC|CXX|LD|AR)\s*[:+?]*=|^[^=]*!=|\$[({]\s*(?:shell|eval|file|call|guile|load)\b/,
    elsewhere: { letters: "fCI", long: ["file", "makefile", "directory", "include-dir"] },
  },
  man: { letters: "PHCp", long: ["pager", "html", "config-file", "preprocessor"] },
  more: PAGER,
  mvn: {
    word: /^exec:|exec-maven-plugin|^-Dexec\.|ext\.class\.path/,
    elsewhere: { letters: "fst", long: ["file", "settings", "toolchains"] },
  },
  mysql: {
    word: /\\!|\b(?:system|source|tee|outfile|dumpfile)\b|^--(?:pager|tee|plugin-dir|default-auth|init-command|defaults-file|defaults-extra-file)/i,
  },
  nano: { letters: "sf", long: ["speller", "rcfile"] },
  nc: CONNECTION,
  ncat: CONNECTION,
  neofetch: { long: ["config"] },
  netcat: CONNECTION,
  nginx: { letters: "cg" },
  ninja: { elsewhere: { letters: "fC" } },
  nm: LINKER,
  node: SCRIPT,
  nodejs: SCRIPT,
  nmap: { long: ["script", "interactive"] },
  npm: { ...SCRIPTS, letters: "c", word: /^(?:edit|explore)$|script-shell|node-options/ },
  npx: {
    letters: "c",
    long: ["call", "prefix", "script-shell", "node-options", "userconfig"],
    isForItself: true,
  },
  objdump: LINKER,
  openssl: { word: /^-(?:engine|config|provider|provider-path)$|^engine$/ },
  openvpn: {
    word: /^--(?:up|down|script-security|config|ipchange|route-up|tls-verify|plugin|learn-address|client-connect)$/,
  },
  openvt: { word: /^/ },
  pandoc: { letters: "LF", long: ["lua-filter", "filter", "pdf-engine"] },
  pdflatex: LATEX,
  pdftex: LATEX,
  pg: PAGER,
  pidstat: { letters: "e" },
  pip: { long: ["editor", "python"] },
  patch: { letters: "e", long: ["ed"] },
  plymouth: { long: ["command"] },
  poetry: { elsewhere: { letters: "CP", long: ["directory", "project"] } },
  pnpm: { ...SCRIPTS, word: /script-shell|node-options/ },
  prettier: { long: ["plugin"], elsewhere: { long: ["config"] } },
  psql: {
    letters: "f",
    long: ["file"],
    word: /\\(?!(?:d[a-z]*|[lzxqh]|timing|conninfo|s[fv])\+?(?:[\s;]|$))[!a-z]|\\[^]*`|\bprogram\b|^(?:-[oL]|--output=)?\|/i,
  },
  prename: CODE,
  pytest: {
    ...TESTS,
    long: ["pdbcls"],
    // Plugins are modules; `no:` keeps one from being loaded.
    values: [
      { letters: "p", attached: "cknmorW", risky: /^(?!no:)/ },
      {
        letters: "o",
        attached: "cknmprW",
        long: ["override-ini"],
        risky: /^(?:pythonpath|addopts|testpaths)/,
      },
    ],
  },
  R: { letters: "e" },
  rake: { letters: "eEpr", elsewhere: { letters: "fRI", long: ["rakefile"] } },
  "redis-cli": { long: ["eval"], word: /^(?:module|eval|config|slaveof|replicaof|debug)$/i },
  // The one that is written in Perl runs its first word.
  rename: CODE,
  restic: { long: ["password-command"] },
  rg: { long: ["pre", "hostname-bin"] },
  rpm: { letters: "E", long: ["eval", "pipe", "define"] },
  rpmdb: { letters: "E", long: ["eval", "define"] },
  rpmquery: { letters: "E", long: ["eval", "pipe", "define"] },
  rpmverify: { letters: "E", long: ["eval", "define"] },
  rsync: { letters: "e", long: ["rsh", "rsync-path"] },
  rustc: { word: /^(?:-C|--codegen|-Z)(?:$|=)|linker=|codegen-backend/ },
  scp: { letters: "oSFJD" },
  screen: { letters: "cX" },
  sdiff: { long: ["diff-program"] },
  service: { word: /\// },
  sftp: { letters: "oSFJb" },
  socat: { word: /^(?:exec|system|shell):/i },
  socket: { letters: "p" },
  sort: { long: ["compress-program"] },
  split: { long: ["filter"] },
  sqlite3: {
    word: /(?:^|\n)\s*\.(?!(?:tables|schema|mode|headers?|databases|indexes|indices|dump|help)\b)\w|\b(?:load_extension|writefile|edit|readfile)\s*\(|^-{1,2}(?:cmd|init)$/i,
  },
  sqlmap: { long: ["eval"] },
  ss: { letters: "K" },
  "ssh-keygen": { letters: "Dw" },
  sshfs: { word: /ssh_command=/ },
  svn: { long: ["diff-cmd", "diff3-cmd", "editor-cmd", "config-option"] },
  sysctl: { word: /core_pattern|modprobe/ },
  systemctl: { word: /^(?:edit|link|set-environment|import-environment|enable)$/, letters: "H" },
  tar: {
    letters: "IF",
    long: [
      "checkpoint-action",
      "info-script",
      "new-volume-script",
      "rmt-command",
      "rsh-command",
      "to-command",
      "use-compress-program",
    ],
  },
  tcpdump: { letters: "z", long: ["postrotate-command"] },
  terraform: { word: /^-plugin-dir|^-chdir=(?:\/|\.\.|~)/ },
  tex: LATEX,
  tmux: {
    letters: "fc",
    word: /^(?:run|run-shell|if|if-shell|pipe-pane|pipep|new|new-session|neww|new-window|splitw|split-window|respawn\w*|send|send-keys|source|source-file|confirm\w*)$/,
  },
  "ts-node": SCRIPT,
  tsx: SCRIPT,
  tshark: { word: /lua_script/ },
  uv: { elsewhere: { long: ["directory", "project"] } },
  vim: EDITOR,
  vitest: TESTS,
  volatility: { word: /volshell/ },
  "wg-quick": { word: /^/ },
  wget: { letters: "e", long: ["execute", "use-askpass", "config"] },
  "xdg-user-dir": { word: /[^A-Z]/ },
  xelatex: LATEX,
  xetex: LATEX,
  yarn: { ...SCRIPTS, word: /script-shell|node-options/ },
  "yt-dlp": { long: ["exec", "exec-before-download"] },
  yum: { letters: "c", word: /^(?:localinstall|install)$/ },
  zic: { letters: "y" },
  zip: { letters: "T", long: ["test", "unzip-command"] },
};

export function runningOption(name: string, words: readonly ShellWord[], folders: Folders): Unwrapped | null {
  const known = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name] : undefined;
  if (!known) return null;
  const dashes = known.isForItself ? words.findIndex((word) => word.value === "--") : -1;
  const end = Math.min(dashes === -1 ? words.length : dashes, ownOptionsEnd(name, words) ?? words.length);
  const rest = known.isBeforeScript ? beforeScript(words) : words.slice(1, end);
  const [first] = rest;
  // `tar xIf` is how its options were written once.
  const options =
    name === "tar" && first && !first.unknown ? [{ ...first, value: `-${first.value}` }, ...rest] : rest;
  const isThere =
    hasOption(options, known.letters ?? "", known.long ?? []) ||
    rest.some((word) => known.word?.test(word.value) === true) ||
    leadsElsewhere(rest, known, folders) ||
    (dashes !== -1 && words.slice(dashes).some((word) => known.behind?.test(word.value) === true));
  if (isThere) return hides(`an option of ${name} can run another program`, [glimpse(rest)]);
  return hidesOption(name, rest)
    ? hides(`a computed word may be an option of ${name} that runs another program`, [glimpse(rest)])
    : null;
}

/** Whether a word, or a text that it reads, makes a program run another. */
export function runsByWord(name: string, text: string): boolean {
  const known = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name] : undefined;
  return known?.word?.test(text) === true;
}

/** A word right behind an option may be its value. */
function beforeScript(words: readonly ShellWord[]): readonly ShellWord[] {
  const script = words.findIndex(
    ({ value }, index) =>
      index > 0 && !isOptionWord(value) && !(index > 1 && /^-[^=]*$/.test(words[index - 1]?.value ?? "")),
  );
  return words.slice(1, script === -1 ? words.length : script);
}

/** Whether an option names a file or folder that is not in the folder of the command, or something else that it runs. */
function leadsElsewhere(
  words: readonly ShellWord[],
  { elsewhere, values = [] }: RunningOptions,
  folders: Folders,
): boolean {
  return words.some((word, index) => {
    const place = elsewhere ? valueOf(word, words[index + 1], elsewhere) : null;
    if (place && (place.unknown || isElsewhere(place.value, folders))) return true;
    return values.some((options) => {
      const value = valueOf(word, words[index + 1], options);
      return value !== null && (value.unknown || options.risky.test(value.value));
    });
  });
}

/** The value of a word that is such an option: behind `=`, behind its letter in a group of letters, or the next word. */
function valueOf(
  word: ShellWord,
  next: ShellWord | undefined,
  { letters = "", long = [], attached: others = "" }: ValueOptions,
): ShellWord | null {
  if (!hasOption([word], letters, long)) return null;
  const at = Array.from(word.value).findIndex(
    (letter, place) => place > 0 && (letters.includes(letter) || others.includes(letter)),
  );
  if (others.includes(word.value[at] ?? " ") && !word.value.startsWith("--")) return null;
  const attached = word.value.startsWith("--")
    ? /=(.*)$/s.exec(word.value)?.[1]
    : word.value.slice(at + 1) || undefined;
  return attached === undefined ? (next ?? null) : { ...word, value: attached };
}

function isElsewhere(path: string, folders: Folders): boolean {
  const isBelow = folders.every((folder) => path === folder || path.startsWith(`${folder}/`));
  return ELSEWHERE.test(path) && (!isBelow || path.split("/").includes(".."));
}

/** A scheme counts, and a path inside of a text: `data:…`, `{"x":"/tmp/y"}`. */
const ELSEWHERE = /^(?:[/~]|-$|[A-Za-z][\w+.-]*:|.*\.\.(?:\/|$))|["',:=[]\s*[/~]/;
