# A function for scripts that run long commands, which source this file.

# quietly LOG TITLE COMMAND...: runs a command with its output in a file, and prints every ten seconds how far it is.
# The caller prints what it needs from the file.
quietly() {
    local log=$1 title=$2 began=$SECONDS code=0 reporter
    mkdir -p "$(dirname "$log")"
    rm -f "$log".*
    : >"$log"
    echo "$title"
    report_progress "$log" &
    reporter=$!
    # In the foreground, so that Ctrl-C ends it.
    "${@:3}" >"$log" 2>&1 || code=$?
    kill "$reporter" 2>/dev/null || true
    wait "$reporter" 2>/dev/null || true
    [ "$code" != 0 ] || echo "  done after $((SECONDS - began)) s"
    return "$code"
}

# Prints the last step of a build, or how many tests have ended, until the script ends. A log can have parts, LOG.1 and
# so on.
report_progress() {
    local began=$SECONDS steps passed failed
    # The pause must not keep the script's output open.
    while sleep 10 </dev/null >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        passed=$(cat "$1"* | grep -acE '^✔ Test .* passed after') || true
        failed=$(cat "$1"* | grep -acE '^✘ Test .* failed after') || true
        steps=$(grep -aoE '^\[[0-9]+/[0-9]{2,}\]' "$1" | tail -n 1 | tr -d '[]') || true
        if [ "$passed$failed" != 00 ]; then
            echo "  $((SECONDS - began)) s: $passed tests passed, $failed failed"
        else
            echo "  $((SECONDS - began)) s${steps:+: step ${steps/\// of }}"
        fi
    done
}
