/** What an assignment can do to the commands after it. */

/** Variables that choose what is run, or how the shell reads the rest of the line. Never allowed. */
const RISKY = new Set(
  [
    "PATH HOME PWD OLDPWD SHELL ENV IFS CDPATH FPATH SHELLOPTS BASHOPTS GLOBIGNORE EXECIGNORE INPUTRC HISTFILE",
    "PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE TERMINFO TERMCAP LOCPATH",
    "NLSPATH GCONV_PATH TMPDIR CC CXX LD AR MAKEFLAGS MFLAGS GNUMAKEFLAGS CLASSPATH MAVEN_OPTS GRADLE_OPTS",
    "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS RUSTC RUSTC_WRAPPER RUSTFLAGS LIBPATH SHLIB_PATH KUBECONFIG",
    "DOCKER_HOST POSIXLY_CORRECT REPLY OPTIND",
    // Options and settings of programs, in which others are named; and where credentials go.
    "MAKEFILES GOFLAGS GOENV GOROOT GOPROXY GOTOOLCHAIN TAR_OPTIONS RIPGREP_CONFIG_PATH XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS LESS LESSKEY LESSKEYIN LESSKEY_CONTENT LESSKEYIN_SYSTEM MANOPT MANPATH",
    "MANROFFOPT PYTEST_ADDOPTS PYTEST_PLUGINS RSYNC_RSH RSYNC_PROXY RSYNC_CONNECT_PROG OPENSSL_CONF OPENSSL_MODULES",
    "OPENSSL_ENGINES RUSTC_WORKSPACE_WRAPPER RUSTDOC RUSTDOCFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN HTTP_PROXY HTTPS_PROXY",
    "ALL_PROXY FTP_PROXY http_proxy https_proxy all_proxy ftp_proxy GREP_OPTIONS ZIPOPT UNZIP CURL_HOME CURL_CA_BUNDLE",
    "SSL_CERT_FILE SSL_CERT_DIR WGETRC SYSTEM_WGETRC AWKPATH AWKLIBPATH GDBINIT GDBHISTFILE VIM VIMRUNTIME VIMINIT",
    "GVIMINIT EXINIT MYVIMRC DOCKER_CONFIG DOCKER_CONTEXT DOCKER_CERT_PATH HELM_PLUGINS HELM_BIN TF_CLI_CONFIG_FILE",
    "TERRAFORM_CONFIG TF_CLI_ARGS TF_PLUGIN_CACHE_DIR PGSERVICEFILE PGSYSCONFDIR PGPASSFILE SQLITE_HISTORY MYSQL_HOME",
    "NETRC LYNX_CFG SCREENRC FZF_DEFAULT_OPTS FD_OPTIONS BAT_CONFIG_PATH COMPILER_PATH GCC_EXEC_PREFIX CPATH",
    "LIBRARY_PATH CMAKE_TOOLCHAIN_FILE PKG_CONFIG PKG_CONFIG_PATH JAVA_HOME GRADLE_USER_HOME",
    "TAPE XZ_OPT XZ_DEFAULTS BZIP BZIP2 ZIP GZIP MAGIC DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES",
    "PSQLRC VAGRANT_HOME AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG",
  ]
    .join(" ")
    .split(" "),
);

const RISKY_FAMILY =
  /^(?:LD|DYLD|BASH|GIT|SSH|NODE|PYTHON|PERL|PERL5|RUBY|LUA|PHP|NPM_CONFIG|YARN|PIP|CARGO|SIGNALBOX|SUDO|GEM|BUNDLE|JEST|ESLINT|NPM|ANSIBLE|KUBE)_|^(?:BASH|PYTHON|PERL5?|RUBY|LUA|PHP|NODE)[A-Z]*$|_(?:PAGER|EDITOR|ASKPASS|COMMAND|PRELOAD)$|PAGER$|^npm_config_|^KUBE[A-Z]|^TF_CLI_ARGS_/i;

/** Variables that only say how something is shown. An allow need not name them. */
const HARMLESS = new Set(
  [
    "CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE TZ TERM VERBOSE",
    "RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8",
    "PORT HOST DEBUG LOG_LEVEL CGO_ENABLED GOOS GOARCH GOARM CARGO_TERM_COLOR CARGO_INCREMENTAL NODE_NO_WARNINGS",
    "GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS DO_NOT_TRACK NEXT_TELEMETRY_DISABLED",
  ]
    .join(" ")
    .split(" "),
);

/** Settings of the project's own pages. */
const HARMLESS_FAMILY = /^(?:LC|VITE|NEXT_PUBLIC|NUXT_PUBLIC|EXPO_PUBLIC|REACT_APP)_[A-Z]\w*$/;

/** Harmless as long as the value is a plain name: any other may become part of a path, of a host or of code. */
const NAMES = new Set(
  "RAILS_ENV RACK_ENV APP_ENV MIX_ENV FLASK_ENV DEBIAN_FRONTEND AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION".split(
    " ",
  ),
);

export type VariableRisk = "harmless" | "risky" | "other";

export function variableRisk(name: string): VariableRisk {
  if (HARMLESS.has(name) || HARMLESS_FAMILY.test(name)) return "harmless";
  return RISKY.has(name) || RISKY_FAMILY.test(name) ? "risky" : "other";
}

/** Variables that name a program, with one that does nothing. */
const IDLE_PROGRAM = /^(?:(?:[A-Z]+_)?PAGER=(?:cat)?|MANPAGER=cat|(?:GIT_)?(?:SEQUENCE_)?EDITOR=(?:true|:))$/;
/** Folders below the one that it runs in. */
const OWN_FOLDERS = /^PYTHONPATH=(?!.*\.\.)[\w.][\w.-]*(?:\/[\w.-]+)*\/?(?::[\w.][\w.-]*(?:\/[\w.-]+)*\/?)*$/;
/** Options that load nothing. */
const PLAIN_OPTIONS =
  /^(?:NODE_OPTIONS=(?: ?--(?:max-(?:old|semi)-space-size=\d+|no-warnings|no-deprecation|trace-(?:warnings|deprecation|uncaught)|enable-source-maps|experimental-vm-modules))+|RUST(?:DOC)?FLAGS=-D ?warnings)$/;

/** The same for `NAME=value` of which the value is known. */
export function assignmentRisk(text: string): VariableRisk {
  const name = assignedName(text) ?? "";
  const value = text.slice(name.length + 1);
  const isHarmless =
    text.startsWith(`${name}=`) &&
    ((NAMES.has(name) && /^[\w-]*$/.test(value)) ||
      IDLE_PROGRAM.test(text) ||
      OWN_FOLDERS.test(text) ||
      PLAIN_OPTIONS.test(text));
  return isHarmless ? "harmless" : variableRisk(name);
}

/** `NAME=value`, as `env` and `export` take it; the name may have an index or a plus. */
export function assignedName(word: string): string | null {
  return /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=/.exec(word)?.[1] ?? null;
}

/** A text that bash would run, or assign with, when a variable that holds it is used as a number or as an index. */
export function holdsSubstitution(text: string): boolean {
  return /\$\(|\$\{|`/.test(text);
}

export function holdsAssignment(text: string): boolean {
  // It begins only where a word does: from each of its letters, a long word would be read as often as it has letters.
  return [...text.matchAll(/(?<!\w)\d*([A-Za-z_]\w*)\s*[-+*/%&|^<>]*=/g)].some(
    (match) => variableRisk(match[1] ?? "") === "risky",
  );
}
