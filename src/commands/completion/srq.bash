# Completion of srq for bash. In ~/.bashrc: eval "$(srq completion bash)"
_srq() {
  local word IFS=$'\n'
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$word")
    fi
  done < <(srq __complete "$((COMP_CWORD - 1))" -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _srq srq
