/** What speaks of the terminal that the daemon was started in: no agent runs in that one. */
const OF_ANOTHER_TERMINAL =
  /^(?:COLUMNS|LINES|TERMCAP|TMUX|TMUX_.*|STY|WINDOW|WINDOWID|TERM_.*|LC_TERMINAL.*|VTE_VERSION|KITTY_.*|ITERM_.*|WEZTERM_.*|ALACRITTY_.*|GHOSTTY_.*|KONSOLE_.*|WT_SESSION|WT_PROFILE_ID|ZELLIJ.*|INSIDE_EMACS|VSCODE_.*)$/;

/** An agent inherits the environment of the person who started the daemon, without what belongs to Signalbox itself. */
export function agentEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  ...more: readonly Readonly<Record<string, string>>[]
): Record<string, string> {
  const inherited = Object.entries(ours).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && !pair[0].startsWith("SIGNALBOX_") && !OF_ANOTHER_TERMINAL.test(pair[0]),
  );
  return Object.assign(Object.fromEntries(inherited), ...more) as Record<string, string>;
}
