# skr(1) completion for fish: skr completions fish

function __skr_complete
    set -l program $argv[1]
    set -l typed (string unescape -- (commandline -ct))
    or set typed (commandline -ct | string replace -r '^["\']' '')
    set -l words (commandline -opc)
    set -l answer (command $program ---complete fish $words "$typed" 2>/dev/null)
    switch "$answer[1]"
        case words
            set -e answer[1]
            test (count $answer) -gt 0; and printf '%s\n' $answer
        case files
            __fish_complete_path (commandline -ct)
        case directories
            __fish_complete_directories (commandline -ct)
        case command
            set -l start (contains -i -- -- $words)
            set -l rest $words[(math $start + 1)..] "$typed"
            complete -C (string join ' ' -- (string escape -- $rest))
    end
end
for program in skr skr-secrets skr-stress
    complete -c $program -e
    complete -c $program -f -k -a "(__skr_complete $program)"
end
