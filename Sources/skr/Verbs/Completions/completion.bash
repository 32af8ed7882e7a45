# skr(1) completion for bash: skr completions bash

_skr() {
    local answer i program=${1##*/}
    case $program in skr-secrets | skr-stress) ;; *) program=skr ;; esac
    COMPREPLY=()
    mapfile -t answer < <(command "$program" ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
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
complete -F _skr skr skr-secrets skr-stress
