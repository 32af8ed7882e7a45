# The calls of go-keyring, which gh uses, on Debian's godbus.
driver "go-keyring on godbus $(dpkg-query -W -f '${Version}' golang-dbus-dev)" "the library is not in Debian"
secret token
secret other
secret umlauts "Grüße-$RANDOM-äöüß-ключ"
secret lines $'first line of a secret\nsecond line\n\nlast line\n'
host=gh:github.com
set_to() { printf %s "$1" | gokeyring set "${@:2}"; }

tests() {
    check "nothing stored: no such item" fails_with 1 gokeyring get $host amy
    check "nothing stored: delete finds no item" fails_with 1 gokeyring delete $host amy
    check "nothing stored: delete-all succeeds" gokeyring delete-all $host
    check "set" set_to "$token" $host amy
    check "get" prints "$token" gokeyring get $host amy
    check "skr get reads it" prints "$token" skr get $host amy
    check "skr get finds it without the user's name" prints "$token" skr get $host
    check "another user: no such item" fails_with 1 gokeyring get $host ben
    check "set for another user" set_to "$other" $host ben
    check "the first user's is unchanged" prints "$token" gokeyring get $host amy
    check "the second user's" prints "$other" gokeyring get $host ben
    check "set again replaces it" set_to "$other" $host amy
    check "get after set" prints "$other" gokeyring get $host amy
    check "skr list has two items" prints 2 count <(skr list) "$host"
    check "no user name" set_to "$token" $host ""
    check "get without a user name" prints "$token" gokeyring get $host ""
    check "delete" gokeyring delete $host amy
    check "deleted: no such item" fails_with 1 gokeyring get $host amy
    check "deleted: skr has no such item" fails skr get $host amy
    check "deleted: the other user's is still there" prints "$other" gokeyring get $host ben
    set_to "$token" gh:example.com amy
    check "delete-all" gokeyring delete-all $host
    check "delete-all: no item of the service" fails_with 1 gokeyring get $host ben
    check "delete-all: another service's is still there" prints "$token" gokeyring get gh:example.com amy

    same() { set_to "$1" "${@:2}" && cmp <(printf %s "$1") <(gokeyring get "${@:2}"); }
    check "several lines, byte for byte" same "$lines" service amy
    check "umlauts in the secret" same "$umlauts" service amy
    check "umlauts, blanks and slashes in the names" same "$token" "Dienst für/Übung %2F:=" "Jörg Müller"
    check "skr get with these names" prints "$token" skr get "Dienst für/Übung %2F:=" "Jörg Müller"
    check "an empty secret" same "" service amy

    store shared amy
    check "it reads what skr set stored" prints "$value" gokeyring get shared amy
    skr delete shared amy
    check "deleted by skr: no such item" fails_with 1 gokeyring get shared amy
    store shared amy --timeout 1s
    check "with a timeout" prints "$value" gokeyring get shared amy
    sleep 1.2
    check "expired: no such item" fails_with 1 gokeyring get shared amy
    check "expired: delete finds no item" fails_with 1 gokeyring delete shared amy

    large() { head -c "$1" /dev/zero | tr '\0' x | gokeyring set large amy; }
    check "32,767 bytes" large 32767
    check "1 MB: LimitsExceeded" says '^org\.freedesktop\.DBus\.Error\.LimitsExceeded ' fails large 1000000
    check "1 MB: the earlier value is unchanged" prints 32767 eval 'gokeyring get large amy | wc -c'
    # An ordinary user's quota is 20,000 bytes.
    ordinary=(setpriv --reuid 60807 --regid nogroup --clear-groups env -u XDG_RUNTIME_DIR keyctl session -)
    quota() { head -c 25000 /dev/zero | tr '\0' x | "${ordinary[@]}" skr-secrets -- gokeyring set large amy; }
    check "25,000 bytes of an ordinary user: LimitsExceeded" \
        says '^org\.freedesktop\.DBus\.Error\.LimitsExceeded .*skr-quota' fails quota
    check "140 MB, more than a message can have: an error" fails large 140000000
    check "the service still answers" prints "$token" gokeyring get gh:example.com amy
}
value=$other
# The service ends with the suite, which leads the login session of these processes.
eval "$(skr-secrets)"
tests

steps='gokeyring set brief amy && gokeyring get brief amy && sleep 1.2 && gokeyring get brief amy'
timeouts() { skr-secrets "$@" -- bash -c "$steps"; }
check "--timeout: the item expires" fails_with 1 timeouts --timeout 1s <<<"$token"
check "--timeout-for: the item expires" fails_with 1 timeouts --timeout-for 'service=bri*=1s' <<<"$token"
check "--timeout-for another service: the item stays" timeouts --timeout-for 'service=gh:*=1s' <<<"$token"
# These commands end before the service has started. The last check of .ci/secret-suites finds services that stay.
check "20 commands that end immediately" eval 'for one in {1..20}; do skr-secrets -- true || exit; done'
