#compdef srq
# Completion of srq for zsh. In ~/.zshrc, after compinit: eval "$(srq completion zsh)"
_srq() {
  local line files=0
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <(srq __complete $((CURRENT - 2)) -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe srq found
  (( files )) && _files
}
compdef _srq srq
