/** Which variables of the environment an agent keeps: an allow-list, because secrets have any name. */
const USUAL: readonly string[] = [
  ...["PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TERMINFO", "COLORTERM"],
  ...["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "EDITOR", "VISUAL", "PAGER", "LESS", "CI"],
  ...[
    "IS_SANDBOX",
    "DEBIAN_FRONTEND",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
  ],
  // Which certificates hold, and the way out.
  ...[
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
  ],
  ...[
    "GIT_SSL_CAINFO",
    "NIX_SSL_CERT_FILE",
    "AWS_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
  ],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  // Toolchains.
  ...["NODE_ENV", "NODE_OPTIONS", "NODE_PATH", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME"],
  ...[
    "BUN_INSTALL",
    "DENO_INSTALL",
    "DENO_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS",
  ],
  ...["RUST_BACKTRACE", "RUST_LOG", "GOPATH", "GOROOT", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "PYENV_ROOT"],
  ...[
    "PYENV_VERSION",
    "PYTHON*",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "JAVA_HOME",
    "MAVEN_OPTS",
  ],
  ...[
    "GRADLE_OPTS",
    "ANDROID_HOME",
    "DOTNET_ROOT",
    "RBENV_ROOT",
    "RBENV_VERSION",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
  ],
  ...["MISE_DATA_DIR", "SDKMAN_DIR", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS"],
  ...[
    "LDFLAGS",
    "MAKEFLAGS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
  ],
  ...["GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "SIGNALBOX_SESSION_ID", "SIGNALBOX_HOOKS_FILE"],
  "SIGNALBOX_AGENT_SOCKET",
];

/** Sorted. A name in a list may end in a star, which stands for any rest. */
export function keptVariables(
  environment: Readonly<Record<string, string | undefined>>,
  ...more: readonly (readonly string[])[]
): readonly string[] {
  const wanted = [USUAL, ...more].flat();
  const exact = new Set(wanted.filter((name) => !name.endsWith("*")));
  const starts = wanted
    .filter((name) => name.endsWith("*") && name.length > 1)
    .map((name) => name.slice(0, -1));
  return Object.keys(environment)
    .filter((name) => environment[name] !== undefined)
    .filter((name) => exact.has(name) || starts.some((start) => name.startsWith(start)))
    .sort();
}
