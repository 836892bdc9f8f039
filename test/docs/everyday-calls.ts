/**
 * What agents ask for on an ordinary day, written as each of them writes it. Written from knowledge of
 * the agents, not recorded; none was chosen for the answer that it gets.
 */
import type { AskedTool } from "../../src/core/index.js";

export interface EverydayCall {
  readonly harness: "claude" | "codex" | "acp";
  readonly tool: AskedTool;
  /** In a table. */
  readonly text: string;
  /** A host that it calls without naming it: the registry of `npm install`. */
  readonly reaches: string | null;
}

type Row = string | readonly [line: string, reaches: string];

function lines(
  harness: EverydayCall["harness"],
  rows: readonly Row[],
  tool: (line: string) => AskedTool,
): readonly EverydayCall[] {
  return rows.map((row) => {
    const [text, reaches] = typeof row === "string" ? [row, null] : row;
    return { harness, tool: tool(text), text, reaches };
  });
}

function call(
  harness: EverydayCall["harness"],
  name: string,
  input: Readonly<Record<string, string | readonly string[]>>,
): EverydayCall {
  return {
    harness,
    tool: { name, input: { ...input } },
    text: `${name} ${Object.values(input)[0]}`,
    reaches: null,
  };
}

const CLAUDE_LINES: readonly Row[] = [
  "git status",
  "git diff --stat HEAD~1",
  "git log --oneline -10",
  "cd packages/web && npm test 2>&1 | tail -20",
  "npm run build 2>&1 | tail -40",
  "npm run lint -- --max-warnings 0 2>&1 | head -50",
  "npx tsc --noEmit 2>&1 | head -30",
  "npx vitest run src/store.test.ts 2>&1 | tail -60",
  ["npm install --save-dev @types/node", "npm's registry"],
  "ls -la src/ test/ 2>/dev/null",
  "find . -name '*.ts' -not -path './node_modules/*' | head -50",
  'grep -rn "useEffect" src --include=*.tsx | wc -l',
  "cat package.json | jq '.scripts'",
  "node -e \"console.log(require('./package.json').version)\"",
  "mkdir -p src/components/forms && touch src/components/forms/index.ts",
  "rm -rf dist && npm run build",
  "git add -A && git commit -m \"$(cat <<'EOF'\nFix the race in the store\n\nThe second write won.\nEOF\n)\"",
  "git checkout -b fix/store-race",
  "git stash && npm test; git stash pop",
  ["git push -u origin fix/store-race", "github.com"],
  ["gh pr view 42 --json title,body,comments", "api.github.com"],
  "timeout 60 npm start > /tmp/server.log 2>&1 &",
  "sleep 3 && curl -s http://localhost:3000/health | jq .",
  "lsof -i :3000 | head -5",
  "python3 -m pytest tests/ -x -q 2>&1 | tail -30",
  "source .venv/bin/activate && pytest -k store -q",
  'for f in src/*.ts; do echo "== $f"; head -5 "$f"; done',
  "chmod +x scripts/release.sh",
  "mv src/old.ts src/new.ts && sed -i 's/old/new/g' src/index.ts",
  "wc -l $(git ls-files '*.ts') | sort -n | tail -10",
  "which node && node --version && npm --version",
  "docker compose ps",
  "cargo test --workspace 2>&1 | tail -25",
  "diff <(git show HEAD:src/a.ts) src/a.ts",
];

const CODEX_LINES: readonly Row[] = [
  "ls",
  "pwd && ls -la",
  "rg --files | head -200",
  'rg -n "createStore" src',
  "rg -n \"TODO|FIXME\" -g '*.ts' --hidden",
  "sed -n 1,120p src/store.ts",
  "sed -n '120,260p' src/store.ts",
  "cat README.md",
  "nl -ba src/store.ts | sed -n '40,80p'",
  "git status --short",
  "git diff -- src/store.ts",
  "git show --stat HEAD",
  "git log -n 5 --oneline -- src",
  "git rev-parse --abbrev-ref HEAD",
  "npm test",
  "npm test -- --runInBand store",
  "npm run typecheck",
  "npx eslint src --ext .ts",
  "npx prettier --check .",
  "pytest -q",
  "python -m pytest tests/test_api.py -q",
  "python - <<'PY'\nimport json\nprint(json.load(open('package.json'))['name'])\nPY",
  "ruff check . && ruff format --check .",
  "mypy src",
  ["pip install -r requirements.txt", "pypi.org"],
  "cargo check",
  "cargo clippy --all-targets -- -D warnings",
  "cargo fmt --check",
  "go test ./...",
  "go vet ./... && gofmt -l .",
  "make test",
  "make -n build",
  "find . -maxdepth 2 -type d -not -path '*/.git*' | sort",
  "cat > src/util.ts <<'EOF'\nexport const one = 1;\nEOF",
  "perl -0pi -e 's/foo/bar/g' src/a.ts",
  "apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: src/a.ts\n@@\n-const a = 1;\n+const a = 2;\n*** End Patch\nPATCH",
  "tail -n 50 /tmp/server.log",
];

const OPENCODE_LINES: readonly Row[] = [
  "git status && git diff",
  "git log --oneline --graph -15",
  "git branch --show-current",
  "git add src/store.ts test/store.test.ts",
  'git commit -m "fix: keep the order of writes"',
  ["git fetch origin && git rebase origin/main", "github.com"],
  "ls -R src | head -80",
  "pnpm test --filter web",
  "pnpm run build",
  ["pnpm install", "npm's registry"],
  "bun test",
  "npx playwright test --reporter=line",
  "uv run pytest -x",
  "poetry run pytest tests/unit",
  "cargo build --release",
  "cargo run -- --help",
  "go build ./cmd/server",
  "go test -run TestStore ./internal/store -v",
  ["go mod tidy", "proxy.golang.org"],
  "golangci-lint run",
  "make lint",
  "make build && ./bin/server --version",
  "docker compose up -d db",
  "docker build -t app .",
  "head -c 400 data/sample.json",
  "cp config.example.json config.json",
  "rm src/unused.ts",
  "echo '{}' > tsconfig.build.json",
  "env | grep -i node",
  "ps aux | grep node | head",
  "curl -sL https://nodejs.org/api/fs.html | head -100",
  "tree -L 2 -I node_modules",
  "awk -F: '{print $1}' src/routes.txt | sort | uniq -c",
  "xargs -a files.txt grep -n createStore",
];

export const EVERYDAY_CALLS: readonly EverydayCall[] = [
  ...lines("claude", CLAUDE_LINES, (command) => ({ name: "Bash", input: { command } })),
  call("claude", "Read", { file_path: "src/store.ts" }),
  call("claude", "Read", { file_path: "README.md" }),
  call("claude", "Grep", { path: "src", pattern: "createStore" }),
  call("claude", "Glob", { pattern: "**/*.test.ts" }),
  call("claude", "Edit", { file_path: "src/store.ts", old_string: "a", new_string: "b" }),
  call("claude", "Write", { file_path: "test/store.test.ts", content: "" }),
  call("claude", "MultiEdit", { file_path: "src/index.ts" }),
  call("claude", "TodoWrite", { todos: "[]" }),
  call("claude", "WebFetch", { url: "https://vitest.dev/guide/mocking", prompt: "How are timers mocked?" }),
  ...lines("codex", CODEX_LINES, (line) => ({
    name: "commandExecution",
    input: { command: `/bin/bash -lc '${line.replaceAll("'", `'\\''`)}'` },
  })),
  call("codex", "fileChange", { paths: ["src/a.ts", "src/b.ts"] }),
  call("codex", "fileChange", { paths: ["docs/guide.md"] }),
  ...lines("acp", OPENCODE_LINES, (command) => ({ name: "bash", input: { command, description: "" } })),
  call("acp", "read", { filePath: "src/store.ts" }),
  call("acp", "edit", { filePath: "src/store.ts" }),
  call("acp", "write", { filePath: "src/new-file.ts" }),
  call("acp", "grep", { pattern: "createStore", path: "src" }),
];
