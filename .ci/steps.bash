# Functions for .ci/run, which sources this file: steps with their times, and jobs that run in the background.

run_began=$SECONDS
step_name='' step_began=$SECONDS step_waited=0
step_times=()
background=()

# Ends the previous step and begins another one.
step() {
    end_step
    step_name=$1 step_began=$SECONDS step_waited=0
    printf '\n== %s (after %d s)\n' "$1" $((SECONDS - run_began))
}

# Prints how long the current step took. $1 is added to the step's name in the summary.
end_step() {
    [ "$step_name" ] || return 0
    local took=$((SECONDS - step_began))
    printf -- '-- %d s\n' "$took"
    step_times+=("$took"$'\t'"$step_waited"$'\t'"$step_name${1:-}")
    step_name=''
}

# Runs a function in the background, in a process group that ends with this script. It does not get its own session,
# because the kernel first shares the processors out among sessions.
in_background() {
    set -m
    "$@" &
    background+=($!)
    set +m
}

# Runs a command, and keeps its output, its time and its exit code for `result`: ahead NAME COMMAND...
ahead() {
    local began=$SECONDS code=0
    "${@:2}" </dev/null >".build/$1.log" 2>&1 || code=$?
    echo $((SECONDS - began)) >".build/$1.seconds"
    echo $code >".build/$1.code"
}

# Waits for the command that `ahead` runs under this name. Prints the end of its output. If the command failed, prints
# all of its output and ends the run.
result() {
    local began=$SECONDS
    until [ -s ".build/$1.code" ]; do sleep 0.5; done
    step_waited=$((step_waited + SECONDS - began))
    [ "$(<".build/$1.code")" = 0 ] || { cat ".build/$1.log"; exit 1; }
    tail -n 3 ".build/$1.log"
}

# Prints the steps and the background jobs, the slowest first.
print_times() {
    local file
    printf '\n== seconds, seconds spent waiting for background jobs, and step (%d s in total)\n' $((SECONDS - run_began))
    printf '%s\n' "${step_times[@]}" | sort -rn | awk -F '\t' '{ printf "%5d %5s  %s\n", $1, $2 == 0 ? "" : $2, $3 }'
    printf '\n== seconds of each job in the background\n'
    for file in .build/*.seconds; do
        [ -e "$file" ] || continue
        printf '%5d  %s\n' "$(<"$file")" "$(basename "$file" .seconds)"
    done | sort -rn
}

# Ends the background jobs and prints the times. Call it at the end, with the exit code of the run.
finish() {
    local group
    for group in "${background[@]}"; do kill -- "-$group" 2>/dev/null || true; done
    if [ "$1" = 0 ]; then end_step; else end_step " (failed)"; fi
    print_times
    [ "$1" != 0 ] || printf '\n== done (after %d s)\n' $((SECONDS - run_began))
}
