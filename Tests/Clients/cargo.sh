# cargo against a sparse registry that requires a token for every request.
secret token
secret wrong
value=$token
mkdir -p files/index/or/ch files/dl/orchard crate/orchard-1.0.0/src project/src
printf '[package]\nname = "orchard"\nversion = "1.0.0"\nedition = "2021"\n' >crate/orchard-1.0.0/Cargo.toml
touch crate/orchard-1.0.0/src/lib.rs
tar -C crate -czf files/dl/orchard/1.0.0.crate orchard-1.0.0
sum=$(sha256sum files/dl/orchard/1.0.0.crate | cut -d ' ' -f 1)
echo "{\"name\":\"orchard\",\"vers\":\"1.0.0\",\"deps\":[],\"cksum\":\"$sum\",\"features\":{},\"yanked\":false}" >files/index/or/ch/orchard
serve files "$WORK/files" <<<"header amy $token"
echo "{\"dl\":\"http://127.0.0.1:$port/dl/{crate}/{version}.crate\",\"api\":\"http://127.0.0.1:$port\",\"auth-required\":true}" >files/index/config.json
index=sparse+http://127.0.0.1:$port/index/
mkdir -p ~/.cargo
cat >~/.cargo/config.toml <<CONFIG
[registries.one]
index = "$index"
[net]
retry = 0
CONFIG
page cargo 2 >>~/.cargo/config.toml
printf '[package]\nname = "project"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\norchard = { version = "1", registry = "one" }\n' >project/Cargo.toml
touch project/src/lib.rs

# Uses a toolchain from the caller's PATH, because Debian's cargo does not support credential providers.
cargo=$(PATH=$OUTER_PATH command -v cargo)
version=$([ -n "$cargo" ] && "$cargo" --version | cut -d ' ' -f 2)
if [ -n "$version" ] && printf '1.74.0\n%s\n' "$version" | sort -VC; then
    PATH=$PATH:$(dirname "$cargo")
    client cargo "$version"
    fetch() { rm -rf ~/.cargo/registry project/Cargo.lock && (cd project && timeout 60 "$cargo" fetch -q); }
    login() { "$cargo" login -q --registry one <<<"$1"; }
    check "the page's lines" follow cargo 1
    check "nothing stored: fetch fails, because there is no token" says 'no token found' fetch
    check "login" login "$token"
    check "fetch" fetch
    check "the server saw the user" says ' amy$' tail -n 1 files.requests
    check "no file of cargo has a token" fails test -e ~/.cargo/credentials.toml
    check "yank" "$cargo" yank -q --registry one orchard@1.0.0
    check "the server saw the yank" says '^DELETE .* amy$' tail -n 1 files.requests
    check "skr list shows the item" says "127\.0\.0\.1:$port" skr list
    check "logout" "$cargo" logout -q --registry one
    check "removed: fetch fails" says 'no token found' fetch
    login "$wrong"
    check "wrong token: refused" says '401|[Uu]nauthorized|token rejected' fetch
    "$cargo" logout -q --registry one
    SKR_TIMEOUT=3s login "$token"
    check "with a timeout" fetch
    sleep 3.1
    check "expired: fetch fails" says 'no token found' fetch
fi

driver "cargo 1.74 and newer" "the messages of a credential plugin, line by line"
keyctl clear @s
ask() { python3 "$CLIENTS/drivers/cargo.py" "$@"; }
get="{\"v\":1,\"registry\":{\"index-url\":\"$index\",\"name\":\"one\"},\"kind\":\"get\",\"operation\":\"read\",\"args\":[]}"
login="{\"v\":1,\"registry\":{\"index-url\":\"$index\"},\"kind\":\"login\",\"token\":\"TOKEN\",\"args\":[]}"
logout="{\"v\":1,\"registry\":{\"index-url\":\"$index\"},\"kind\":\"logout\",\"args\":[]}"
check "nothing stored: not-found" prints '{"Err":{"kind":"not-found"}}' ask <<<"$get"
check "login" prints '{"Ok":{"kind":"login"}}' ask <<<"${login/TOKEN/$token}"
check "get" says "\"kind\":\"get\".*\"token\":\"$token\"|\"token\":\"$token\".*\"kind\":\"get\"" ask <<<"$get"
check "two requests of one run" says '"kind":"not-found"' ask <<<"$logout"$'\n'"$get"
check "removed: not-found" prints '{"Err":{"kind":"not-found"}}' ask <<<"$get"
check "logout without a token: not-found" prints '{"Err":{"kind":"not-found"}}' ask <<<"$logout"
check "login with configured options" prints '{"Ok":{"kind":"login"}}' ask <<<"${login/'[]'/'["--timeout","2s"]'}"
check "get" says '"kind":"get"' ask <<<"$get"
sleep 2.1
check "expired: not-found" prints '{"Err":{"kind":"not-found"}}' ask <<<"$get"
check "unknown options are an error" says 'unknown option' ask <<<"${get/'[]'/'["--colour"]'}"
check "an unknown kind: operation-not-supported" prints '{"Err":{"kind":"operation-not-supported"}}' ask <<<"${logout/logout/dance}"
