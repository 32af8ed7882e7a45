# secret-tool, on libsecret, with skr-secrets. Each command has its own service; the items are the login's.
source "$CLIENTS/support/secrets.bash"
client secret-tool "$(dpkg-query -W -f '${Version}' libsecret-tools)"
secret amy
secret ben
secret other

with() { skr-secrets "$@"; }
put() { printf %s "$1" | with "${options[@]}" -- secret-tool store --label="The label" "${@:2}"; }
lookup() { with -- secret-tool lookup "$@"; }
search() { with -- secret-tool search --all "$@" 2>&1; }
clear() { with -- secret-tool clear "$@"; }

check "nothing stored: lookup ends with 1" fails_with 1 lookup service orchard username amy
check "nothing stored: lookup prints nothing" prints '' lookup service orchard username amy
check "nothing stored: search prints nothing" prints '' search service orchard
check "nothing stored: clear ends with 1" fails_with 1 clear service orchard username amy

check "store" put "$amy" service orchard username amy
check "lookup" prints "$amy" lookup service orchard username amy
check "lookup with one of its attributes" prints "$amy" lookup service orchard
check "skr get has the same secret" prints "$amy" skr get orchard amy
check "skr list" prints password$'\t'orchard$'\t'amy$'\t'${#amy}$'\t'- skr list
check "search prints the label" says '^label = The label$' search service orchard
check "search prints the attributes" says '^attribute.username = amy$' search service orchard
check "another secret for the same attributes" put "$other" service orchard username amy
check "it has replaced the first one" prints "$other" skr get orchard amy
value=$amy store orchard amy
check "a secret that skr set has replaced" prints "$amy" lookup service orchard username amy
value=$ben store orchard ben
check "a secret that only skr set has stored" prints "$ben" lookup service orchard username ben
both() { search service orchard | grep -c '^secret = '; }
check "search finds both accounts" prints 2 both
skr delete orchard ben
check "deleted by skr delete: lookup ends with 1" fails_with 1 lookup service orchard username ben
check "deleted by skr delete: the other account is still found" prints "$amy" lookup service orchard
check "clear" clear service orchard username amy
check "cleared: skr get does not find it" fails_with 1 skr get orchard amy

# Attributes that no other client of skr has: the kind `secret`.
odd=('key with space' 'a:b=c%/ü' empty '')
check "store with any attributes" put "$amy" "${odd[@]}"
check "lookup with all of them" prints "$amy" lookup "${odd[@]}"
check "lookup with one of them" prints "$amy" lookup empty ''
check "lookup with another value" fails_with 1 lookup "${odd[@]:0:2}" empty no
check "lookup with one more attribute" fails_with 1 lookup "${odd[@]}" one more
check "search prints them" says '^attribute.key with space = a:b=c%/ü$' search empty ''
check "skr list has it" prints secret kinds
listed=$(skr list | cut -f 2)
check "skr get with the name that skr list prints" prints "$amy" skr get "$listed"
check "skr delete with the name that skr list prints" skr delete "$listed"
check "deleted by skr delete: lookup ends with 1" fails_with 1 lookup "${odd[@]}"

keyctl clear @s
options=(--timeout 2s)
put "$amy" service orchard username amy
put "$ben" any thing
check "--timeout 2s: both are listed" says '[012]s$' skr list
sleep 2.1
check "expired: lookup ends with 1" fails_with 1 lookup service orchard username amy
check "expired: any attributes" fails_with 1 lookup any thing
check "expired: search prints nothing" prints '' search service orchard
check "expired: skr get does not find it" fails_with 1 skr get orchard amy
keyctl clear @s
options=(--timeout-for 'service=orch*=1h' --timeout-for 'any=*=2h')
put "$amy" service orchard username amy
put "$ben" any thing
put "$ben" no rule
left() { skr list | cut -f 5 | tr '\n' ' '; }
check "--timeout-for: each has the time of its rule" says '^(59m|1h) (1h|2h) - $' left
options=()

# secret-tool reads at most 8,191 bytes, so only a nearly full quota is too small for it.
secret large "$(head -c 1500 /dev/urandom | base64 -w 0)"
full() {
    limited "$2" 'store() { head -c "$1" | skr-secrets -- secret-tool store --label="$2" service "$2" username amy; }
        { store 500 small && head -c 18500 /dev/zero | skr set filling; } || exit
        store 1500 "$1"; echo "ended with $?"
        skr-secrets -- secret-tool lookup service small username amy | wc -c
        skr list | cut -f 2,4' "$1" <<<"$large$large"
}
printed=$(full large 61101 2>&1)
check "full quota: store fails" says '^ended with 1$' echo "$printed"
check "full quota: the error names the quota and a way out" says '^secret-tool: .*quota.*skr-quota' echo "$printed"
check "full quota: the first secret is still there" says '^500$' echo "$printed"
printed=$(full small 61102 2>&1)
check "full quota: store of a larger secret for the same attributes fails" says '^ended with 1$' echo "$printed"
check "full quota: the smaller one is still there" says $'^small\t500$' echo "$printed"

at_once() { for _ in {1..20}; do with -- true; done; services_ended; }
check "each service ends with its command, even if the command ends at once" at_once
