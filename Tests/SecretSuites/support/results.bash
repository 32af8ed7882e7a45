# The functions that judge the results of a suite.

# unsupported SUITE: lists the suite's tests that are not required to pass.
unsupported() { awk -F '\t' -v suite="$1" '$1 == suite { print $2 }' "$SUITES/unsupported" | sort; }

# judge SUITE WHAT: reads the lines "passed TEST" and "failed TEST", and prints one line for the tests that passed, and
# one for each that failed, except the unsupported ones.
judge() {
    local required
    required=$(grep -vxF -f <(unsupported "$1" | sed 's/.*/passed &\nfailed &/') -)
    check "$2: $(grep -c '^passed' <<<"$required") tests pass" grep -q '^passed' <<<"$required"
    grep '^failed' <<<"$required" | sed "s/^failed \(.*\)/not ok - $name: $2: \1/"
}

# all_known SUITE: succeeds if each unsupported test of the suite is one of the tests in standard input.
all_known() {
    local unknown
    unknown=$(comm -13 <(sort) <(unsupported "$1"))
    [ -z "$unknown" ] || { printf 'no such test: %s\n' $unknown; return 1; }
}

# Lists the unsupported tests of a suite by their reasons.
explain() {
    awk -F '\t' -v suite="$1" '
        $1 == suite { tests[$3] = tests[$3] (tests[$3] ? ", " : "") $2 }
        END { for (reason in tests) print "# not required: " suite ": " tests[reason] ": " reason }
        ' "$SUITES/unsupported" | sort
}
