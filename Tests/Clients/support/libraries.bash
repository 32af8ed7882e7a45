# The checks of the client libraries. Each library has a driver with the commands of drivers/secret_items.py. A scenario
# sets `driver` to the words that run it, and calls the functions for the commands that its library can do.
source "$CLIENTS/support/secrets.bash"
# Otherwise, Python stores its compiled file next to secret_items.py.
export PYTHONDONTWRITEBYTECODE=1
secret amy
secret ben
secret other

with() { skr-secrets "${options[@]}" -- "${driver[@]}" "$@"; }
create() { printf %s "$1" | with create "${@:2}"; }
replace() { printf %s "$1" | with replace "${@:2}"; }
lookup() { with lookup "$@"; }
search() { with search "$@"; }
delete() { with delete "$@"; }
# Succeeds if the library finds no such item. An error has another exit code.
absent() { fails_with 3 lookup "$@"; }
kind_count() { kinds | sort | uniq -c | tr -s ' \n' ' '; }
two_labels() { search "$@" | sort | tr '\n' ' '; }
account=(service orchard username amy)

# Store, find and delete. The items are the login's, so each command has its own service.
check_items() {
    check "nothing stored: lookup finds nothing" absent "${account[@]}"
    check "nothing stored: search finds nothing" fails_with 3 search service orchard
    check "nothing stored: delete finds nothing" fails_with 3 delete "${account[@]}"
    check "create" create "$amy" "The label" "${account[@]}"
    check "lookup" prints "$amy" lookup "${account[@]}"
    check "lookup with one of its attributes" prints "$amy" lookup service orchard
    check "lookup with another value finds nothing" absent service orchard username ben
    check "lookup with one more attribute finds nothing" absent "${account[@]}" one more
    check "search prints the label" prints "The label" search service orchard
    check "skr get has the same secret" prints "$amy" skr get orchard amy
    check "skr list" prints password$'\t'orchard$'\t'amy$'\t'${#amy}$'\t'- skr list
    value=$other store orchard amy
    check "a secret that skr set has replaced" prints "$other" lookup "${account[@]}"
    value=$ben store orchard ben
    check "a secret that only skr set has stored" prints "$ben" lookup service orchard username ben
    skr delete orchard ben
    check "deleted by skr delete: lookup finds nothing" absent service orchard username ben
    check "deleted by skr delete: the other account is still found" prints "$other" lookup service orchard
    check "delete" delete "${account[@]}"
    check "deleted: lookup finds nothing" absent "${account[@]}"
    check "deleted: skr get does not find it" fails_with 1 skr get orchard amy
    value=$ben store orchard amy
    check "deleted: its label does not come back" fails says '^The label$' search "${account[@]}"
    keyctl clear @s
    create "$amy" "The label" "${account[@]}" application one
    skr delete orchard amy
    value=$ben store orchard amy
    check "deleted by skr delete: its label does not come back" fails says '^The label$' search "${account[@]}"
    check "deleted by skr delete: its application does not come back" \
        prints "$ben" lookup "${account[@]}" application two
    keyctl clear @s
}

# Without replace, a second item with the same attributes never takes the place of the first one.
check_second_item() {
    check "create" create "$amy" first "${account[@]}"
    check "create with the same attributes" create "$ben" second "${account[@]}"
    check "the same attributes: there are two items" prints ' 1 password 1 secret ' kind_count
    check "the same attributes: search finds both" prints 'first second ' two_labels "${account[@]}"
    check "the same attributes: lookup finds the newer item" prints "$ben" lookup "${account[@]}"
    check "the same attributes: skr get has the first secret" prints "$amy" skr get orchard amy
    delete "${account[@]}"
    check "the same attributes: the first delete leaves the older item" prints "$amy" lookup "${account[@]}"
    delete "${account[@]}"
    check "the same attributes: the second delete leaves nothing" prints '' skr list
    value=$other store orchard amy
    create "$amy" third "${account[@]}"
    check "create does not replace what skr set has stored" prints "$other" skr get orchard amy
    keyctl clear @s
}

# Replaces only an item that differs in no attribute that both have.
check_replace() {
    create "$amy" first "${account[@]}"
    check "replace" replace "$ben" second "${account[@]}"
    check "replaced: there is one item" prints password kinds
    check "replaced: lookup" prints "$ben" lookup "${account[@]}"
    check "replaced: the label is the new one" prints second search "${account[@]}"
    check "replaced: skr get" prints "$ben" skr get orchard amy
    check "replace for another user" replace "$other" other service orchard username ben
    check "another user: the first item is unchanged" prints "$ben" lookup "${account[@]}"
    keyctl clear @s
    check "replace with a schema" replace "$amy" first "${account[@]}" xdg:schema org.example.One
    check "with a schema: skr get" prints "$amy" skr get orchard amy
    check "replace with another schema" replace "$ben" second "${account[@]}" xdg:schema org.example.Two
    check "another schema: there are two items" prints ' 1 password 1 secret ' kind_count
    check "another schema: skr get has the first secret" prints "$amy" skr get orchard amy
    check "replace with the second schema again" replace "$other" third "${account[@]}" xdg:schema org.example.Two
    check "the second schema again: there are still two items" prints ' 1 password 1 secret ' kind_count
    check "the second schema again: it has replaced its own item" \
        prints "$other" lookup "${account[@]}" xdg:schema org.example.Two
    check "the second schema again: the first item is unchanged" \
        prints "$amy" lookup "${account[@]}" xdg:schema org.example.One
    keyctl clear @s
    create "$amy" first "${account[@]}"
    check "replace with an application, which the first item does not have" \
        replace "$ben" second "${account[@]}" application one
    check "an application: there is one item" prints password kinds
    check "an application: skr get has the new secret" prints "$ben" skr get orchard amy
    check "replace without an application, which the first item has" replace "$amy" third "${account[@]}"
    check "without an application: there is one item" prints password kinds
    check "without an application: both programs find it" prints "$amy" lookup application one
    check "replace with another target" replace "$other" fourth "${account[@]}" target other
    check "another target: there are two items" prints ' 1 password 1 secret ' kind_count
    check "another target: skr get has the first secret" prints "$amy" skr get orchard amy
    keyctl clear @s
}

# An item is only found with values that it has, byte for byte.
check_matching() {
    local label one=(xdg:schema org.example.One) two=(xdg:schema org.example.Two)
    create "$amy" first "${account[@]}" "${one[@]}"
    check "a schema: lookup with it" prints "$amy" lookup "${account[@]}" "${one[@]}"
    check "a schema: lookup with it alone" prints "$amy" lookup "${one[@]}"
    check "a schema: lookup without a schema" prints "$amy" lookup "${account[@]}"
    check "a schema: lookup with another one finds nothing" absent "${account[@]}" "${two[@]}"
    check "a schema: lookup with an application finds nothing" absent "${account[@]}" application any
    check "a schema: delete with another one finds nothing" fails_with 3 delete "${account[@]}" "${two[@]}"
    check "a schema: still stored" prints "$amy" skr get orchard amy
    keyctl clear @s
    for label in "The label" ""; do
        create "$amy" "$label" "${account[@]}"
        check "no schema, label '$label': lookup with a schema finds nothing" absent "${account[@]}" "${one[@]}"
        check "no schema, label '$label': lookup with target=default finds nothing" \
            absent "${account[@]}" target default
        keyctl clear @s
    done
    value=$ben store orchard amy
    check "stored by skr set: lookup with any schema" prints "$ben" lookup "${account[@]}" "${one[@]}"
    check "stored by skr set: lookup with any application" prints "$ben" lookup "${account[@]}" application any
    check "stored by skr set: lookup with target=default" prints "$ben" lookup "${account[@]}" target default
    check "stored by skr set: lookup with another target finds nothing" absent "${account[@]}" target other
    check "stored by skr set: lookup with a schema and only the service finds nothing" \
        absent service orchard "${one[@]}"
    check "stored by skr set: lookup with only a schema finds nothing" absent "${one[@]}"
    check "stored by skr set: lookup with only target=default finds nothing" absent target default
    keyctl clear @s

    # The two forms of é are two texts.
    local composed=$'caf\u00e9' decomposed=$'cafe\u0301'
    create "$amy" composed service "$composed" username amy
    check "é in one code point: lookup" prints "$amy" lookup service "$composed"
    check "é in one code point: lookup with two code points finds nothing" absent service "$decomposed"
    check "é in one code point: delete with two code points finds nothing" fails_with 3 delete service "$decomposed"
    create "$ben" decomposed service "$decomposed" username amy
    check "é in both forms: two items" prints ' 2 password ' kind_count
    check "é in both forms: lookup of each" prints "$amy $ben" \
        echo "$(lookup service "$composed")" "$(lookup service "$decomposed")"
    keyctl clear @s

    local odd=('key with space' 'a:b=c%/ü' empty '')
    create "$amy" odd "${odd[@]}"
    check "any attributes: lookup with all of them" prints "$amy" lookup "${odd[@]}"
    check "any attributes: lookup with one of them" prints "$amy" lookup empty ''
    check "any attributes: lookup with another value finds nothing" absent "${odd[@]:0:2}" empty no
    check "any attributes: skr list has it" prints secret kinds
    check "any attributes: skr get with the name that skr list prints" prints "$amy" skr get "$(skr list | cut -f 2)"
    keyctl clear @s
}

# The attributes, the label and the content type of an item are those of its client.
check_details() {
    local longest=$(printf 'x%.0s' {1..1024})
    CONTENT_TYPE=application/octet-stream create "$amy" first "${account[@]}" application one target default
    attributes() { with attributes "${account[@]}" | tr '\n' ' '; }
    check "the attributes" prints 'application = one service = orchard target = default username = amy ' attributes
    check "the content type" prints application/octet-stream with type "${account[@]}"
    check "change the label" with relabel $'caf\u00e9' "${account[@]}"
    check "the changed label" prints $'caf\u00e9' search "${account[@]}"
    label_size() { search "${account[@]}" | tr -d '\n' | wc -c; }
    check "a label of 1,024 bytes" with relabel "$longest" "${account[@]}"
    check "the label of 1,024 bytes is complete" prints 1024 label_size
    check "a label of 1,025 bytes is refused" says 'label has at most 1024' with relabel "x$longest" "${account[@]}"
    check "refused: the label is unchanged" prints 1024 label_size
    check "create with a label of 1,025 bytes" says 'label has at most 1024' \
        create "$ben" "x$longest" service meadow username amy
    check "refused: nothing is stored" absent service meadow
    value=$ben store meadow amy
    check "change the label of what skr set has stored" with relabel mine service meadow
    check "what skr set has stored: the changed label" prints mine search service meadow
    check "what skr set has stored: lookup with any schema" \
        prints "$ben" lookup service meadow username amy xdg:schema org.example.One
    binary() {
        printf 'a\0b\377c' | with create binary service binary username amy
        lookup service binary | od -An -tx1
    }
    check "a secret with any bytes" prints ' 61 00 62 ff 63' binary
    keyctl clear @s
}

check_expiry() {
    local options=(--timeout 4s)
    create "$amy" short "${account[@]}" application one
    check "--timeout 4s: listed" says '[0-4]s$' skr list
    sleep 4.1
    check "expired: lookup finds nothing" absent "${account[@]}"
    check "expired: search finds nothing" fails_with 3 search "${account[@]}"
    check "expired: skr get does not find it" fails_with 1 skr get orchard amy
    options=()
    value=$ben store orchard amy
    check "expired: its label does not come back" fails says '^short$' search "${account[@]}"
    check "expired: its application does not come back" prints "$ben" lookup "${account[@]}" application two
    keyctl clear @s
}

# Without an alias, each call makes a new collection.
check_collections() {
    collections() { with collections "$@" | sort | tr '\n' ' '; }
    check "the collections" prints 'login session ' collections
    check "two new collections with the same label" prints 'Work Work login session ' collections Work Work
}

# check_quota USER-ID: an error of the service reaches the user of the library.
check_quota() {
    local large=$(head -c 18750 /dev/urandom | base64 -w 0) printed
    secrets+=("$large")
    too_large() {
        limited "$1" 'with() { skr-secrets -- "${driver[@]}" "$@"; }; driver=("$@")
            read -r small large
            printf %s "$small" | with create small service orchard username amy || exit
            printf %s "$large" | with create large service orchard username amy; echo "ended with $?"
            with lookup service orchard; echo; skr list | wc -l' "${driver[@]}" <<<"$amy $large" 2>&1
    }
    printed=$(too_large "$1")
    check "25,000 bytes with a quota of 20,000: create fails" says '^ended with [1-9]' echo "$printed"
    check "too large: the error names the size and a way out" says 'has 25000 bytes.*skr-quota' echo "$printed"
    check "too large: the existing secret is unchanged" says "^$amy\$" echo "$printed"
    check "too large: nothing else is stored" says '^1$' echo "$printed"
}

check_library() {
    check_items
    check_second_item
    check_replace
    check_matching
    check_details
    check_expiry
    check_collections
    check_quota "$1"
    check "each service has ended with its command" services_ended
}
