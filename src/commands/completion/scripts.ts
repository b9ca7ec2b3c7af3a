import type { Shell } from './shells.ts';

/**
 * The completion scripts by shell. Each script runs `srq __complete COUNT -- WORDS`, where COUNT is the number of words
 * before the cursor's word. The words are passed unchanged and never evaluated. Each line of the answer is
 * `WORD<TAB>DESCRIPTION`, or `:files` if file names fit, which the shell completes itself.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of srq for bash. In ~/.bashrc: eval "$(srq completion bash)"
_srq() {
  local word IFS=$'\\n'
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$word")
    fi
  done < <(srq __complete "$((COMP_CWORD - 1))" -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _srq srq`,
  zsh: `#compdef srq
# Completion of srq for zsh. In ~/.zshrc, after compinit: eval "$(srq completion zsh)"
_srq() {
  local line files=0
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(srq __complete $((CURRENT - 2)) -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe srq found
  (( files )) && _files
}
compdef _srq srq`,
  fish: `# Completion of srq for fish: srq completion fish > ~/.config/fish/completions/srq.fish
function __srq_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (srq __complete (math (count $before) - 1) -- $before[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c srq -f -a '(__srq_complete)'`,
  powershell: `# Completion of srq for PowerShell. In $PROFILE: srq completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName srq -ScriptBlock {
    param($current, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    $before = if ($current -eq '') { $words.Count } else { $words.Count - 1 }
    srq __complete $before -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $word, $text = $_ -split "\`t", 2
        if (-not $text) { $text = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $text)
    }
}`,
};
