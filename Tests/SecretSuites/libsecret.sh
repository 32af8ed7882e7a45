# libsecret's own tests. Each runs in its own process with a new service: first on the service's own socket, and then
# on a session bus, to which the service is attached.
client dbus-daemon "$(dbus-daemon --version | sed -n '1s/.* //p')"
client libsecret "$(sed -nE '1s/.*\((.*)\).*/\1/p' "$INSTALLED/libsecret/debian/changelog")"
programs=(service session paths methods password item collection prompt)

# The mock's items have numbers as paths, and ours have their attributes, so we replace the paths in the tests. The
# mock's default collection english is our collection login. One test sorts items by their paths; to get the mock's
# order, it sorts ours by the attribute number. Two tests delete the default collection, which ours refuses; they delete
# another one.
paths=$(keyctl session - skr-secrets -- mock paths)
{
    sort -u <<<"$paths" | sed -E 's|(.*) (.*)|s#"\1"#"\2"#|'
    cat <<'SED'
s#/collection/english#/collection/login#
s/return g_strcmp0 (pa, pb);/return g_strcmp0 (strstr (pa, "number"), strstr (pb, "number"));/
/^test_delete_a\?sync/,/^}/s#/collection/login"#/collection/spanish"#
SED
} >changes.sed
check "our service has an item for each of the mock's" [ "$(wc -l <changes.sed)" -ge 15 ]

# Builds the tests again only if the changes are different.
built=$INSTALLED/libsecret-tests
build() {
    ! cmp -s changes.sed "$built/changes.sed" || return 0
    rm -rf "$built"
    cp -r "$INSTALLED/libsecret" "$built" && cd "$built" && sed -i -f "$WORK/changes.sed" libsecret/test-*.c &&
        meson setup build -Dmanpage=false -Dvapi=false -Dgtk_doc=false -Dintrospection=false &&
        ninja -C build "${programs[@]/#/libsecret/test-}" && cp "$WORK/changes.sed" .
}
check "the tests are built" build

# The tests with their programs.
for program in "${programs[@]}"; do "$built/build/libsecret/test-$program" -l | sed -n "s#^/#$program /#p"; done >tests
check "each test that is not required exists" all_known libsecret < <(cut -d ' ' -f 2 tests)

for way in socket bus; do
    awk 'NR == FNR { skipped[$0]; next } !($2 in skipped)' <(unsupported libsecret) tests |
        xargs -P 6 --process-slot-var=SLOT -L 1 \
            bash "$SUITES/support/libsecret-test" "$built/build/libsecret" "$way" >results
    for program in "${programs[@]}"; do
        # Each test of prompts needs one.
        [ "$program" = prompt ] ||
            sed -n "s/^\(passed\|failed\) $program /\1 /p" results | judge libsecret "$way: test-$program"
    done
    grep '^#' results
done
explain libsecret
