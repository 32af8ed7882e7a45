#compdef skr skr-secrets skr-stress
# skr(1) completion for zsh: skr completions zsh

_skr() {
    local -a answer names shown plain
    local line name program=${service:-skr}
    case $program in skr-secrets|skr-stress) ;; *) program=skr ;; esac
    integer i width=0
    answer=("${(@f)$(command $program ---complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
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
        [[ $PREFIX == --*=* ]] && compset -P 1 '*='
        _files
        ;;
    directories)
        [[ $PREFIX == --*=* ]] && compset -P 1 '*='
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

if [[ ${funcstack[1]} == _skr* ]]; then
    _skr "$@"
else
    compdef _skr skr skr-secrets skr-stress
fi
