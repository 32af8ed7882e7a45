# The functions that the scenarios use.

# client NAME VERSION: names the real client of the checks that follow.
client() {
    name="$1 $2"
    echo "# real: $name" >>"$CLIENTS_LIST"
}

# driver NAME WHY: the checks that follow speak the client's protocol themselves, in place of the client.
driver() {
    name="$1 (driver)"
    echo "# driver: $1: $2" >>"$CLIENTS_LIST"
}

# check WHAT COMMAND...: runs the command in a subshell. Prints one line, and after a failure also the command's output.
check() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok - $name: $what"
    else
        echo "not ok - $name: $what"
        head -n 15 <<<"$output" | sed "s/^/#   /"
    fi
}

# A check that can't run counts as a failure.
skipped() { echo "not ok - $name: $1: skipped, $2"; }

fails() { ! "$@"; }

# fails_with STATUS COMMAND...: succeeds if the command ends with that status.
fails_with() {
    local expected=$1 status
    shift
    "$@"
    status=$?
    [ "$status" = "$expected" ] || { echo "ended with $status instead of $expected"; return 1; }
}

# prints TEXT COMMAND...: succeeds if the command's standard output, without the line breaks at its end, is TEXT.
prints() {
    local expected=$1 output
    shift
    output=$("$@")
    [ "$output" = "$expected" ] || { printf 'printed: %s\nexpected: %s\n' "$output" "$expected"; return 1; }
}

# says PATTERN COMMAND...: succeeds if a line of the command's output or errors matches the extended regular expression.
# The command itself can fail.
says() {
    local pattern=$1 output
    shift
    output=$("$@" 2>&1)
    grep -qE -- "$pattern" <<<"$output" || { printf 'printed: %s\nno line matches: %s\n' "$output" "$pattern"; return 1; }
}

# secret VARIABLE [TEXT]: sets VARIABLE to a secret that must be in no file at the end. The default is a random text.
secret() {
    local text=${2-s3cret-$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')}
    printf -v "$1" %s "$text"
    secrets+=("$text")
}

# Fails if a file has a secret: literally, in base64 at any offset, in hexadecimal or percent-encoded.
nothing_on_disk() {
    [ ${#secrets[@]} -gt 0 ] || { echo "the scenario has declared no secret"; return 1; }
    printf '%s\0' "${secrets[@]}" | python3 "$CLIENTS/support/find-secrets.py" "$HOME" "$WORK"
}

# start NAME COMMAND...: starts a server that ends with the scenario. Its standard output goes to NAME.out.
start() {
    local server=$1
    shift
    setpriv --pdeathsig KILL "$@" >"$WORK/$server.out" 2>"$WORK/$server.err" <&0 &
    servers+=($!)
}
servers=()

# serve NAME [ARGUMENT...]: starts a server from servers/, which prints its port. Sets port.
serve() {
    start "$1" python3 "$CLIENTS/servers/$1.py" "${@:2}"
    await_port "$1" '^([0-9]+)$'
}

# await_port NAME PATTERN: waits for the server to print a match. Sets port to the text that the parentheses capture.
await_port() {
    port=
    for _ in {1..600}; do
        port=$(cat "$WORK/$1.out" "$WORK/$1.err" 2>/dev/null | sed -nE "s/.*$2.*/\1/p" | head -n 1)
        [ -n "$port" ] && return
        sleep 0.05
    done
    skipped "the server $1" "it does not start"
    sed 's/^/#   /' "$WORK/$1.err"
    exit 1
}

end_servers() {
    [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
    wait 2>/dev/null
}

# count FILE PATTERN: prints the number of lines that match.
count() { grep -cE -- "$2" "$1" || true; }

# runs: prints how often a scenario's own command has run. It writes a line to the file runs each time.
runs() { cat runs 2>/dev/null | wc -l; }

# page SECTION NUMBER [OLD NEW]...: prints a block of the page UseItWith, or of $PAGE, as the reader sees it, with each
# text OLD replaced by NEW. The scenarios configure their clients with these blocks, so they fail if the page is wrong.
page() {
    local block section=$1 number=$2
    block=$("$CLIENTS/../../.ci/pages" --block "${PAGE:-UseItWith}" "$section" "$number" && echo .) || return
    block=${block%.}
    shift 2
    while [ $# -gt 1 ]; do
        [[ $block = *"$1"* ]] || { echo "${PAGE:-UseItWith}, $section, block $number does not contain '$1'" >&2; return 1; }
        block=${block//"$1"/"$2"}
        shift 2
    done
    printf '%s\t%s\n' "$section" "$number" >>"$CLIENTS_LIST.blocks"
    printf %s "$block"
}

# follow SECTION NUMBER [OLD NEW]...: runs that block, as a reader who types it. The block reads standard input.
follow() {
    local lines
    lines=$(page "$@") && bash -e -c "$lines"
}

# Creates a CA in ca.pem and, signed by it, a server's certificate.pem and key.pem for localhost and 127.0.0.1.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=scenario-ca \
        -keyout "$WORK/ca.key" -out "$WORK/ca.pem" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
        -keyout "$WORK/key.pem" -out "$WORK/request.pem" 2>/dev/null
    openssl x509 -req -in "$WORK/request.pem" -CA "$WORK/ca.pem" -CAkey "$WORK/ca.key" -CAcreateserial -days 2 \
        -extfile <(printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n') \
        -out "$WORK/certificate.pem" 2>/dev/null
}

# store ITEM-ARGUMENTS...: stores $value as that item's secret.
store() { printf %s "$value" | skr set "$@"; }
