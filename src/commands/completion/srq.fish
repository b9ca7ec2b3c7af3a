# Completion of srq for fish: srq completion fish > ~/.config/fish/completions/srq.fish
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
complete -c srq -f -a '(__srq_complete)'
