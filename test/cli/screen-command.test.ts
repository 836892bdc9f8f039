import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSignalbox, runSignalbox } from "./signalbox.js";

const SCREENS = fileURLToPath(new URL("../golden/screens/", import.meta.url));

let folder = "";

beforeAll(() => {
  buildSignalbox();
  folder = mkdtempSync(join(tmpdir(), "signalbox-screen-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("says what a dump of a screen shows, and why", async () => {
  const path = join(SCREENS, "recorded-claude/07-permission-prompt.ansi");
  expect(await runSignalbox(["screen", "--agent", "claude", path])).toEqual({
    code: 0,
    stderr: "",
    stdout: `${JSON.stringify({
      activity: "approval",
      confidence: 0.96875,
      evidence: [
        "permission dialog (dialog)",
        "Esc to cancel · Tab to amend",
        "❯ 1. Yes",
        "───",
        "Do you want to proceed?",
      ],
    })}\n`,
  });
});

test("says it of raw output, of rows of text, and of a shell", async () => {
  const raw = put("raw", "\x1b]0;x\x07\x1b[2J\x1b[5;3Hgone\r\n\x1b[2J\x1b[Hhi\r\ndev@box:~$ ");
  const text = put("text.txt", `${"\n".repeat(38)}hi\ndev@box:~$\n`);
  for (const path of [raw, text]) {
    const { code, stdout } = await runSignalbox(["screen", "--json", "--agent", "shell", path]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        activity: "shell",
        confidence: 0.875,
        evidence: ["shell prompt with a host (last row)", "dev@box:~$", "nothing typed"],
      },
    ]);
  }
});

test("the size and the title count", async () => {
  const path = join(SCREENS, "recorded-codex/07-idle-after-turn.ansi");
  const read = async (...args: readonly string[]) => {
    const { stdout } = await runSignalbox(["screen", "--agent", "codex", ...args, path]);
    return (JSON.parse(stdout) as { activity: string }).activity;
  };
  expect(await read()).toBe("idle");
  expect(await read("--title", "⠋ proj")).toBe("working");
  expect(await read("--cols", "20", "--rows", "10")).toBe("unknown");
});

test("what nobody could read is unknown", async () => {
  const path = put("junk", String.fromCharCode(...Array.from({ length: 255 }, (_, at) => at + 1)));
  const { code, stdout } = await runSignalbox(["screen", "--agent", "claude", path]);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { activity: "unknown", confidence: 0, evidence: ["no rule for claude matched"] },
  ]);
});

test.each([
  [["x"], 2, "whose screen is it? --agent is missing"],
  [["--agent", "codec", "x"], 2, 'unknown agent "codec"\nDid you mean codex?'],
  [["--agent", "claude"], 2, "FILE is missing"],
  [["--agent", "claude", "x", "y"], 2, "too many words: y"],
  [["--agent", "claude", "--cols", "0", "x"], 2, '--cols "0" is no size\nGive a number from 1 to 1000.'],
  [["--agent", "claude", "--rows", "1e3", "x"], 2, '--rows "1e3" is no size'],
  [["--agent", "claude", "no-such-file"], 1, "cannot read no-such-file: ENOENT"],
  [["--agent", "claude", "."], 1, "cannot read .: EISDIR"],
] as const)("screen %j is refused", async (args, code, message) => {
  const ended = await runSignalbox(["screen", ...args]);
  expect([ended.code, ended.stdout]).toEqual([code, ""]);
  expect(ended.stderr).toContain(message);
});
