import ArgumentParser

/// The shells that have a completion script.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// None of them evaluates what skr answers.
    ///
    /// The argument parser's own scripts would: bash's `compgen -W`, to which they hand it, expands it, and runs what a
    /// name like `$(...)` says.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    private static let bashText = #"""
        # skr(1) completion for bash: skr completions bash

        _skr() {
            local answer i
            COMPREPLY=()
            mapfile -t answer < <(command skr ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
            case ${answer[0]-} in
            words)
                COMPREPLY=("${answer[@]:1}")
                ;;
            files)
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$2")
                ;;
            directories)
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -d -- "$2")
                ;;
            command)
                for ((i = 1; i < COMP_CWORD; i++)); do
                    [[ ${COMP_WORDS[i]} == -- ]] && break
                done
                ((i++))
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$i"
                elif ((COMP_CWORD == i)); then
                    mapfile -t COMPREPLY < <(compgen -c -- "$2")
                else
                    compopt -o filenames
                    mapfile -t COMPREPLY < <(compgen -f -- "$2")
                fi
                ;;
            esac
        }
        complete -F _skr skr

        """#

    private static let zshText = #"""
        #compdef skr
        # skr(1) completion for zsh: skr completions zsh

        _skr() {
            local -a answer names shown plain
            local line name
            integer i width=0
            answer=("${(@f)$(command skr ---complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            case ${answer[1]} in
            words)
                for line in "${(@)answer[2,-1]}"; do
                    name=${line%%$'\t'*}
                    [[ $line == *$'\t'* ]] && (( ${#name} > width )) && width=${#name}
                done
                for line in "${(@)answer[2,-1]}"; do
                    name=${line%%$'\t'*}
                    if [[ $line == *$'\t'* ]]; then
                        names+=("$name")
                        shown+=("${(r:width:)name}  -- ${line#*$'\t'}")
                    elif [[ -n $line ]]; then
                        plain+=("$name")
                    fi
                done
                (( $#names )) && compadd -l -d shown -a -- names
                (( $#plain )) && compadd -a -- plain
                ;;
            files)
                _files
                ;;
            directories)
                _files -/
                ;;
            command)
                i=${words[(i)--]}
                shift i words
                (( CURRENT -= i ))
                _normal
                ;;
            esac
        }

        if [[ ${funcstack[1]} == _skr ]]; then
            _skr "$@"
        else
            compdef _skr skr
        fi

        """#

    private static let fishText = #"""
        # skr(1) completion for fish: skr completions fish

        function __skr_complete
            set -l typed (string unescape -- (commandline -ct))
            or set typed (commandline -ct | string replace -r '^["\']' '')
            set -l words (commandline -opc)
            set -l answer (command skr ---complete fish $words "$typed" 2>/dev/null)
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
        complete -c skr -e
        complete -c skr -f -k -a '(__skr_complete)'

        """#
}
