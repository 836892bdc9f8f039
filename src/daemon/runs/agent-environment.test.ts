import { expect, test } from "vitest";
import { agentEnvironment } from "./agent-environment.js";

test("it is the person's, without what is ours and what speaks of another terminal; the session's own wins", () => {
  const ours = {
    PATH: "/bin",
    HOME: "/h/p",
    TERM: "dumb",
    EMPTY: undefined,
    SIGNALBOX_TOKEN: "secret",
    COLUMNS: "80",
    TMUX: "/tmp/tmux",
    TMUX_PANE: "%1",
    TERM_PROGRAM: "tmux",
    VSCODE_INJECTION: "1",
    TERMINFO: "/terminfo",
  };
  expect(agentEnvironment(ours, { TERM: "xterm-256color" }, { PATH: "/opt", COLUMNS: "9" })).toEqual({
    PATH: "/opt",
    HOME: "/h/p",
    TERM: "xterm-256color",
    TERMINFO: "/terminfo",
    COLUMNS: "9",
  });
});
