// Completion scripts. Each calls `dejavu complete` with the words as they are typed: a shell must not evaluate them, since a
// word such as $(command) would run. Where Dejavu has no candidates, the shell completes file names.

const BASH = `# Completion of dejavu for bash. In ~/.bashrc: source <(dejavu completion bash)
_dejavu() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(dejavu complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _dejavu dejavu
`;

const ZSH = `#compdef dejavu
# Completion of dejavu for zsh. In ~/.zshrc, after compinit: source <(dejavu completion zsh)
_dejavu() {
  local -a candidates
  candidates=("\${(@f)$(dejavu complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("\${(@)candidates:#}")
  if (( \${#candidates} )); then
    candidates=("\${(@)candidates//:/\\\\:}")
    candidates=("\${(@)candidates/$'\\t'/:}")
    _describe dejavu candidates
  else
    _files
  fi
}
compdef _dejavu dejavu
`;

const FISH = `# Completion of dejavu for fish. In ~/.config/fish/config.fish: dejavu completion fish | source
function __dejavu_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (dejavu complete -- $words[2..-1] 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c dejavu -f -a '(__dejavu_complete)'
`;

const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["bash", BASH],
  ["zsh", ZSH],
  ["fish", FISH],
]);

export const SHELLS = [...SCRIPTS.keys()];

/** Undefined for an unknown shell. */
export function completionScript(shell: string): string | undefined {
  return SCRIPTS.get(shell);
}
