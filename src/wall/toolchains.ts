/** What lies below a home folder and is no secret: programs that agents run, shown read-only. */

/** Without what is kept beside them: `.cargo` and `.local/share` also hold logins. */
const USUAL: readonly string[] = [
  ...[
    ".nvm",
    ".volta",
    ".fnm",
    ".local/share/fnm",
    ".local/state/fnm_multishells",
    ".npm-global",
    ".local/share/pnpm",
  ],
  ...[
    ".bun/bin",
    ".bun/install/global",
    ".deno/bin",
    ".cargo/bin",
    ".cargo/env",
    ".rustup",
    ".pyenv",
    ".local/bin",
  ],
  ...[
    ".local/lib",
    ".local/pipx",
    ".local/share/pipx",
    ".local/share/uv",
    ".local/share/claude/versions",
    "go/bin",
  ],
  ...[
    ".go",
    "sdk",
    ".rbenv",
    ".asdf",
    ".local/share/mise",
    ".sdkman",
    ".ghcup",
    ".juliaup",
    ".dotnet",
    ".opam",
  ],
];

/** Variables that say where one is. */
const VARIABLES: readonly string[] = [
  ...[
    "NVM_DIR",
    "VOLTA_HOME",
    "FNM_DIR",
    "PNPM_HOME",
    "RUSTUP_HOME",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
  ],
  ...[
    "GOROOT",
    "JAVA_HOME",
    "ANDROID_HOME",
    "DOTNET_ROOT",
    "RBENV_ROOT",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "SDKMAN_DIR",
  ],
];

const GIT_SETTINGS = [".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"];

/** What a person's shells read when they start: shown only where a person types, and never to be changed. */
export const SHELL_FILES: readonly string[] = [
  ...[
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_aliases",
    ".zshrc",
    ".zshenv",
    ".zprofile",
  ],
  ...[".zlogin", ".inputrc", ".config/fish/config.fish", ".config/starship.toml"],
];

/** Caches of packages: Signalbox's own, per project. */
export const CACHES: readonly string[] = [
  ...[".npm", ".cache", ".cargo/registry", ".cargo/git", "go/pkg", ".m2/repository", ".gradle/caches"],
  ...[".local/share/pnpm/store", ".yarn", ".bun/install/cache"],
];

/** Absolute; some of them are there. */
export function toolchainPaths(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const named = [
    ...(environment["PATH"] ?? "").split(":"),
    ...VARIABLES.map((name) => environment[name] ?? ""),
  ]
    .filter((path) => path.startsWith(`${home}/`))
    .map((path) => path.replace(/\/+$/, ""))
    .filter((path) => path !== home && !path.split("/").includes(".."));
  return [...new Set([...[...USUAL, ...GIT_SETTINGS].map((path) => `${home}/${path}`), ...named])];
}
