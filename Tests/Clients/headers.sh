# go, Bazel, pnpm, npm and MCP clients, which take HTTP headers from a helper. No client that is installed here is new
# enough, so the driver makes the requests that the clients would make.
secret token
secret wrong
value=$token
certificate
mkdir files
echo done >files/page
serve files "$WORK/files" --tls "$WORK/certificate.pem" "$WORK/key.pem" <<<"header amy Bearer $token"$'\n'"basic ben $wrong"
origin=https://127.0.0.1:$port
export ORIGIN=$origin CA=$WORK/ca.pem
drive() { python3 "$CLIENTS/drivers/headers.py" "$@"; }

# life CLIENT ITEM: checks the client's requests while the item is absent, wrong, right, expired and deleted.
life() {
    keyctl clear @s
    check "nothing stored: refused" prints 401 drive "$1"
    printf %s "$wrong" | skr set "$2"
    check "wrong token: refused" prints 401 drive "$1"
    store "$2"
    check "the token" prints 200 drive "$1"
    check "the server saw the user" says ' amy$' tail -n 1 files.requests
    store "$2" --timeout 1s
    sleep 1.3
    check "expired: refused" prints 401 drive "$1"
    store "$2"
    skr delete "$2"
    check "removed: refused" prints 401 drive "$1"
}

cat >issue-token <<'SCRIPT'
#!/bin/bash
echo run >>"$WORK/runs"
printf '{"access_token":"%s","expires_in":%s}' "$ISSUED" "$(cat "$WORK/lifetime")"
SCRIPT
chmod +x issue-token
export ISSUED=$token

driver "go 1.24 and newer" "GOAUTH as 'go help goauth' documents it: without a URL, then with the URL and the head of a 401"
export GOAUTH='skr helper go'
life go "$origin"
check "nothing stored: no output, exit 0" prints '' skr helper go
store "$origin/private"
check "a token for /private is not for /page" prints 401 drive go
skr delete "$origin/private"
export GOAUTH="skr helper go $origin -- $WORK/issue-token"
rm -f runs
echo 3600 >lifetime
check "the command's token" prints 200 drive go
check "a second time" prints 200 drive go
check "the command ran once" prints 1 runs
keyctl clear @s
echo 2 >lifetime
check "a token that lasts 2 seconds" prints 200 drive go
before=$(runs)
sleep 2.3
echo 3600 >lifetime
check "after its expiry" prints 200 drive go
check "after its expiry the command ran once more" prints $((before + 1)) runs

driver "Bazel, Buck2" "EngFlow's credential-helper specification"
life bazel "$origin"
check "nothing stored: no headers, exit 0" says '^\{"headers": ?\{\}\}$' skr-bazel get <<<"{\"uri\":\"$origin/page\"}"
check "unknown properties are ignored" skr-bazel get <<<"{\"uri\":\"$origin/page\",\"more\":[1]}"
check "an unsupported operation is an error" fails skr-bazel store <<<'{}'
printf %s "$wrong" | skr set "$origin" ben
check "a user's password" prints 200 drive bazel
check "the server saw the user of the password" says ' ben$' tail -n 1 files.requests

driver "pnpm, npm" "tokenHelper: an absolute path without arguments, whose output is the value of Authorization"
life npm registry
check "nothing stored: an error" fails skr-npm-registry
store registry
check "the whole value" prints "Bearer $token" skr-npm-registry

driver "MCP clients" "a command that prints a JSON object of header names and values"
export HEADERS='skr helper headers registry'
life headers registry
keyctl clear @s
printf %s "$wrong" | skr set registry ben
check "a user's password" prints 200 drive headers
check "the server saw the user of the password" says ' ben$' tail -n 1 files.requests
export HEADERS="skr helper headers issued -- $WORK/issue-token"
rm -f runs
check "the command's token" prints 200 drive headers
check "a second time" prints 200 drive headers
check "the command ran once" prints 1 runs
