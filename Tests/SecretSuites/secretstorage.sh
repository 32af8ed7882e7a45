# SecretStorage's own tests: first as they run with any service, and then with the contents of libsecret's mock.
client SecretStorage "$(sed -n 's/^Version: //p' "$INSTALLED/secretstorage/PKG-INFO" | head -n 1)"
cp -r "$INSTALLED/secretstorage" source
# ItemTest stores two items with equal attributes without replacing, and tells them apart by their paths. Our items
# with equal attributes are one item, so the second one gets one more attribute.
sed -i "s/^\( *\)ATTRIBUTES, b''/\1{**ATTRIBUTES, 'number': '2'}, b''/" source/tests/test_item.py
check "the second item of ItemTest has one more attribute" grep -qF "{**ATTRIBUTES," source/tests/test_item.py
# The path of an item in the mock.
paths=$(keyctl session - skr-secrets -- mock paths)
ours=$(sed -n 's#^/org/freedesktop/secrets/collection/lockone/confirm ##p' <<<"$paths")
sed -i "s#/org/freedesktop/secrets/collection/lockone/confirm#$ours#" source/tests/test_collection.py
# The mock's collection english is our collection login.
sed -i 's#/collection/english"#/collection/login"#' source/tests/test_unlocking.py

run() { keyctl session - skr-secrets -- "$INSTALLED/venv/bin/python" -B source/tests/run_tests.py "$@" >output 2>&1; }
# Prints the result and the full name of each test.
results() {
    sed -nE 's/^test_\w+ \(([a-zA-Z_.]+)\) \.\.\. ok$/passed \1/p
        s/^test_\w+ \(([a-zA-Z_.]+)\) \.\.\. (FAIL|ERROR|skipped).*/failed \1/p' output | sort -u
}
# Prints why tests have failed, except those that are not required to pass.
reasons() {
    awk 'NR == FNR { skipped["(" $0 ")"]; next }
        /^(FAIL|ERROR): / { wanted = !($3 in skipped) }
        wanted && /^(FAIL|ERROR): |^[A-Za-z._]*(Error|Exception|Response): / { print "#   " $0 }
        ' <(unsupported SecretStorage) output
}

run
# Without a mock, these tests skip themselves.
results | grep -vE '^failed test_(collection\.MockCollectionTest|unlocking)\.' |
    judge SecretStorage "with the service's name"
reasons
run "$SUITES/mock.py"
results | judge SecretStorage "with the mock's contents"
reasons
check "each test that is not required exists" all_known SecretStorage < <(results | cut -d ' ' -f 2)
explain SecretStorage
