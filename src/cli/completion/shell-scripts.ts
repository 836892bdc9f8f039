/** What a shell is told once: to ask this program for everything else. */
export const SHELL_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_signalbox() {
  local IFS=$'\\n'
  COMPREPLY=($(signalbox completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _signalbox signalbox
`,
  zsh: `#compdef signalbox
_signalbox() {
  local line
  local -a found
  for line in "\${(@f)$(signalbox completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then _describe -V signalbox found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _signalbox signalbox
`,
  fish: `function __signalbox_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (signalbox completion --words -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c signalbox -f -k -a '(__signalbox_complete)'
`,
};
