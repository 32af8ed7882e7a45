# Functions for scripts that run tests in several processes, which source this file. Within one process, only as many
# tests as there are processors can wait for something at the same time.

test_log='' test_copy='' test_runs=()

# start_tests [--joined] USER OPTIONS OF THE TESTS...: starts tests in the background, as root (0), or as an ordinary
# user: one by one, because they share that user's quota, and from a copy that every user can reach. With --joined, they
# are in a session keyring of their own, as in a login. Writes $test_log.1, .2 and so on.
start_tests() {
    local session=()
    [ "$1" != --joined ] || { session=(keyctl session -); shift; }
    local bundle=SessionKeyringPackageTests.xctest command=() word
    # An empty pattern would choose all tests.
    for word in "${@:2}"; do [ -n "$word" ] || { echo "tests: error: an empty pattern"; return 1; }; done
    if [ "$1" = 0 ]; then
        command=(".build/debug/$bundle")
    else
        if [ -z "$test_copy" ]; then
            test_copy=$(mktemp -d /var/tmp/skr-tests.XXXXXX) && chmod 755 "$test_copy" &&
                install -m 755 -t "$test_copy" \
                    .build/debug/{"$bundle",lease-example,rotating-tokens,skr,skr-secrets,skr-oauth,skr-stress} || return 1
        fi
        command=(
            setpriv --reuid "$1" --regid "$1" --clear-groups env -C "$test_copy" HOME=/nonexistent "${session[@]}"
            "$test_copy/$bundle" --no-parallel)
    fi
    # Job control gives the tests default signal dispositions and a process group.
    set -m
    "${command[@]}" --testing-library swift-testing "${@:2}" </dev/null >"$test_log.$((${#test_runs[@]} + 1))" 2>&1 &
    test_runs+=($!)
    set +m
}

# wait_for_tests SECONDS: waits for all of them, and fails if a test has failed. Ends those that take longer, so that a
# test that hangs is named.
wait_for_tests() {
    local number=0 run code=0 ended watch
    # Job control makes the watch and its pause one process group.
    set -m
    (sleep "$1"; end_runs) </dev/null >/dev/null 2>&1 &
    watch=$!
    set +m
    for run in "${test_runs[@]}"; do
        number=$((number + 1)) ended=0
        wait "$run" || ended=$?
        [ $ended = 0 ] || code=1
        # 1 stands for a failed test, which the log names.
        if [ $ended = 143 ] && ! kill -0 "$watch" 2>/dev/null; then
            echo "error: these tests have not ended after $1 s" >>"$test_log.$number"
        elif [ $ended -gt 1 ]; then
            echo "error: the process of the tests has ended with code $ended" >>"$test_log.$number"
        fi
    done
    kill -- "-$watch" 2>/dev/null || true
    test_runs=()
    return "$code"
}

end_runs() {
    local run
    for run in "${test_runs[@]}"; do kill -- "-$run" 2>/dev/null || true; done
}

end_tests() {
    end_runs
    [ -z "$test_copy" ] || rm -rf "$test_copy"
}
trap end_tests EXIT
