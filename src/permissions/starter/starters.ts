/** What a starter file holds: everyday work of one kind of project, and what a person wants to hear of. */
import type { StarterKind } from "../../protocol/api-permissions.js";

export interface Starter {
  /** One of these in the project tells that it is of this kind. */
  readonly files: readonly string[];
  /** Command lines, as in `Shell(…)`. */
  readonly allow: readonly string[];
  readonly ask: readonly string[];
}

/** A line of the file: a heading, and the rules below it. */
export interface RuleGroup {
  readonly about: string;
  readonly rules: readonly string[];
}

function shell(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" | ")).map((line) => `Shell(${line})`);
}

export const COMMON_ALLOW: readonly RuleGroup[] = [
  {
    about: "Edits in the project, and files for a while. (Reading in the project is allowed without a rule.)",
    rules: ["Write(**)", "Write(/tmp/**)"],
  },
  {
    about: "The agents' own lists of what is to be done",
    rules: ["Tool(TodoWrite)", "Tool(todowrite)", "Tool(todo_write)", "Tool(write_todos)"],
  },
  {
    about: "Looking around",
    rules: shell(
      "cd * | pwd | ls * | tree * | cat * | head * | tail * | nl * | wc * | file * | stat * | du * | df *",
      "grep * | rg * | fd * | find * | sed -n * | sort * | uniq * | cut * | tr * | diff * | jq *",
      "echo * | printf * | true | test * | which * | command -v * | date * | sleep * | basename * | dirname *",
      "realpath * | ps * | lsof * | mkdir * | touch * | chmod +x * | curl http://localhost* | curl -s http://localhost*",
      "docker ps * | docker logs * | docker compose ps * | docker compose logs *",
      "gh pr view * | gh pr list * | gh pr diff * | gh pr checks * | gh issue view * | gh issue list * | gh run view *",
    ),
  },
  {
    about: "Git, but for what leaves this machine or loses work",
    rules: shell(
      "git status * | git diff * | git log * | git show * | git blame * | git grep * | git ls-files *",
      "git rev-parse * | git merge-base * | git describe * | git remote -v | git worktree list",
      "git branch | git branch -a | git branch --show-current | git add * | git commit * | git switch *",
      "git checkout -b * | git restore --staged * | git stash | git stash push * | git stash pop | git stash list",
      "git fetch | git fetch origin | git fetch --all | git rebase origin/*",
    ),
  },
];

export const COMMON_ASK: readonly RuleGroup[] = [
  {
    about: "What others see",
    rules: shell(
      "git push * | gh pr create * | gh pr merge * | gh release * | docker push * | kubectl * | terraform *",
    ),
  },
  { about: "What cannot be undone", rules: shell("git reset --hard * | git clean * | find * -delete") },
  {
    about: "Options by which programs that look around run others, or write files",
    rules: shell("rg --pre | fd -x | fd -X | fd --exec* | sort -o | sort --output | sort --compress-program"),
  },
];

export const COMMON_DENY: readonly RuleGroup[] = [
  {
    about: "Secrets. (.env.example is meant too: write narrower rules if agents may see it.)",
    rules: ["Read(**/.env*)"],
  },
  {
    about: "Keys",
    rules: [
      "Read(**/*.pem)",
      "Read(**/*.key)",
      "Read(**/id_rsa)",
      "Read(**/id_ed25519)",
      "Read(~/.ssh/**)",
      "Read(~/.gnupg/**)",
      "Read(~/.aws/**)",
    ],
  },
];

/** Tests, builds and checks, and to install what the project declares. Any other package is asked about. */
export const STARTERS: Readonly<Record<StarterKind, Starter>> = {
  node: {
    files: ["package.json"],
    allow: [
      "npm test * | npm t * | npm run test* * | npm run build* * | npm run lint* * | npm run format* *",
      "npm ci | npm install | pnpm install | yarn install",
      "npm start * | npm run dev* * | npm run typecheck * | npm run check* * | npm ls * | npm outdated * | npm view * | node --version | npm --version",
      "pnpm test * | pnpm run test* * | pnpm run build* * | pnpm run lint* * | pnpm build * | pnpm lint * | pnpm typecheck *",
      "yarn test * | yarn build * | yarn lint *",
      "npx tsc * | npx eslint * | npx prettier * | npx vitest * | npx jest * | npx playwright test * | node --test *",
      "bun test * | pnpm exec tsc * | pnpm exec vitest * | pnpm exec eslint *",
    ],
    ask: ["npm publish * | pnpm publish * | yarn publish * | npm run deploy* * | npm run release* *"],
  },
  python: {
    files: ["pyproject.toml", "requirements.txt", "setup.py"],
    allow: [
      "pytest * | python -m pytest * | python3 -m pytest * | python -m unittest * | tox * | nox *",
      "ruff check * | ruff format * | mypy * | pyright * | black * | isort * | flake8 *",
      "pip install -r requirements.txt | uv sync | poetry install",
      "uv run pytest * | uv run ruff * | uv run mypy * | poetry run pytest * | pip list * | pip show * | python --version",
      "python3 --version | python -m mypy * | python -m ruff *",
    ],
    ask: ["twine upload * | uv publish * | poetry publish *"],
  },
  rust: {
    files: ["Cargo.toml"],
    allow: [
      "cargo test * | cargo build * | cargo check * | cargo clippy * | cargo fmt * | cargo run * | cargo doc * | cargo tree *",
      "cargo nextest * | cargo bench * | cargo metadata * | cargo --version | rustc --version",
    ],
    ask: ["cargo publish * | cargo yank *"],
  },
  go: {
    files: ["go.mod"],
    allow: [
      "go test * | go build * | go vet * | go fmt * | gofmt * | go list * | go doc * | go version | go env *",
      "go run * | go mod tidy | go mod download | golangci-lint run * | staticcheck *",
    ],
    ask: ["goreleaser *"],
  },
  make: {
    files: ["Makefile", "makefile", "GNUmakefile"],
    allow: [
      "make | make all * | make test* * | make build* * | make lint* * | make check* * | make fmt * | make format *",
      "make clean | make help | make -n *",
    ],
    ask: ["make deploy* * | make release* * | make publish* * | make install *"],
  },
};

export function starterRules(kind: StarterKind): {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
} {
  const { allow, ask } = STARTERS[kind];
  return { allow: shell(...allow), ask: shell(...ask) };
}
