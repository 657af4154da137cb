export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];
export const isCompletionShell = (text: string): text is Shell =>
  (SHELLS as readonly string[]).includes(text);

/**
 * Returns the script with which a shell completes commands. It calls `mainstay complete -- WORDS`, which prints one
 * candidate per line (word, tab, meaning) and finally `:0` if file names are allowed, else `:4`. The script passes the
 * words verbatim: common completion scripts evaluate them, so that pressing Tab after `$(…)` runs a command.
 */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of mainstay for bash.
_mainstay() {
  local line lines current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  mapfile -t lines < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for line in "\${lines[@]}"; do
    case $line in
      :0) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done
}
complete -F _mainstay mainstay
`,
  zsh: `#compdef mainstay
# Completion of mainstay for zsh.
_mainstay() {
  local line
  local -a found
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files ;;
      :*) ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#found )) && _describe mainstay found
}
if [ "$funcstack[1]" = _mainstay ]; then _mainstay "$@"; else compdef _mainstay mainstay; fi
`,
  fish: `# Completion of mainstay for fish.
function __mainstay_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case :0
        __fish_complete_path "$current"
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c mainstay -f -a '(__mainstay_complete)'
`,
};
