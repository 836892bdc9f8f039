/** What puts `signalbox ask` on a key of a shell. */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** How the shell is to call us: the program as it was called now. */
export function programWords(argv0: string, script: string): readonly string[] {
  return /(?:^|\/)signalbox$/.test(script) ? ["command", "signalbox"] : [argv0, script];
}

export function integrationFor(shell: Shell, program: readonly string[]): string {
  switch (shell) {
    case "bash":
      return bash(program.map(quoted).join(" "));
    case "zsh":
      return zsh(program.map(quoted).join(" "));
    case "fish":
      return fish(program.map(quotedForFish).join(" "));
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

function quotedForFish(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/[\\']/g, "\\$&")}'`;
}

/**
 * A function that `bind -x` calls cannot have the line run. So the key is a macro of two others: the first asks, and
 * decides what the second does.
 */
function bash(program: string): string {
  return `# signalbox ask on a key: Ctrl-X i, or SIGNALBOX_ASK_KEY in the notation of bind.
__signalbox_ask() {
  local answer
  # The line that was typed is gone from the screen by now.
  [[ -z "$READLINE_LINE" ]] || printf 'ask: %s\\n' "$READLINE_LINE" >/dev/tty
  answer="$(${program} ask --inline -- "$READLINE_LINE" </dev/tty)"
  case "$answer" in
    run$'\\n'*) bind '"\\C-x\\C-]2": accept-line' ;;
    *) bind '"\\C-x\\C-]2": redraw-current-line' ;;
  esac
  case "$answer" in
    run$'\\n'* | insert$'\\n'*)
      READLINE_LINE="\${answer#*$'\\n'}"
      READLINE_POINT=\${#READLINE_LINE}
      ;;
  esac
}
bind '"\\C-x\\C-]2": redraw-current-line'
for __signalbox_map in emacs vi-insert; do
  bind -m "$__signalbox_map" -x '"\\C-x\\C-]1": __signalbox_ask'
  bind -m "$__signalbox_map" "\\"\${SIGNALBOX_ASK_KEY:-\\\\C-xi}\\": \\"\\\\C-x\\\\C-]1\\\\C-x\\\\C-]2\\""
done
unset __signalbox_map
`;
}

function zsh(program: string): string {
  return `# signalbox ask on a key: Ctrl-X i, or SIGNALBOX_ASK_KEY in the notation of bindkey.
__signalbox_ask() {
  emulate -L zsh
  zle -I
  local answer
  answer="$(${program} ask --inline -- "$BUFFER" </dev/tty)"
  if [[ "$answer" == (run|insert)$'\\n'* ]]; then
    BUFFER="\${answer#*$'\\n'}"
    CURSOR=$#BUFFER
  fi
  if [[ "$answer" == run$'\\n'* ]]; then
    zle accept-line
  else
    zle reset-prompt
  fi
}
zle -N __signalbox_ask
bindkey -M emacs "\${SIGNALBOX_ASK_KEY:-^Xi}" __signalbox_ask
bindkey -M viins "\${SIGNALBOX_ASK_KEY:-^Xi}" __signalbox_ask
`;
}

/** Ctrl-X copies in fish, and would have to wait for a second key: so it is Alt-I there. */
function fish(program: string): string {
  return `# signalbox ask on a key: Alt-I, or SIGNALBOX_ASK_KEY in the notation of bind.
function __signalbox_ask
    echo >/dev/tty
    set -l answer (${program} ask --inline -- (commandline | string collect) </dev/tty | string collect)
    set -l action (string split -m 1 \\n -- "$answer")
    if contains -- "$action[1]" run insert
        commandline -r -- $action[2]
        commandline -f end-of-buffer
    end
    if test "$action[1]" = run
        commandline -f execute
    else
        commandline -f repaint
    end
end
set -q SIGNALBOX_ASK_KEY; and set -l __signalbox_key $SIGNALBOX_ASK_KEY; or set -l __signalbox_key \\ei
bind $__signalbox_key __signalbox_ask
bind -M insert $__signalbox_key __signalbox_ask
`;
}
