# uv auth with the system's keyring, on a fork of keyring-rs.
source "$CLIENTS/support/secrets.bash"
secret amy
secret token
secret other
client "uv auth" "$(uv --version | cut -d ' ' -f 2)"
export UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never UV_PREVIEW_FEATURES=native-auth

auth() { skr-secrets "${options[@]}" -- uv auth "$@"; }
login() { printf %s "$1" | auth login "${@:2}"; }
index=https://pypi.example.com
as_amy=(--username amy)

check "nothing stored: token fails" says 'Failed to fetch credentials' auth token "$index" "${as_amy[@]}"
check "nothing stored: logout fails" fails auth logout "$index" "${as_amy[@]}"
check "login with a password" says 'Stored credentials for amy@' login "$amy" "$index" "${as_amy[@]}" --password -
check "token prints it" prints "$amy" auth token "$index" "${as_amy[@]}"
check "skr list" prints password$'\t'uv:pypi.example.com$'\t'amy$'\t'${#amy}$'\t'- skr list
check "skr get has the same secret" prints "$amy" skr get uv:pypi.example.com amy
value=$other store uv:pypi.example.com amy
check "a password that skr set has replaced" prints "$other" auth token "$index" "${as_amy[@]}"
check "login with a token" says 'Stored credentials' login "$token" https://token.example.com --token -
check "token of another service" prints "$token" auth token https://token.example.com
skr delete uv:token.example.com __token__
check "deleted by skr delete: token fails" says 'Failed to fetch credentials' auth token https://token.example.com
check "deleted by skr delete: the other service's is still found" prints "$other" auth token "$index" "${as_amy[@]}"
check "logout" says 'Removed credentials for amy@' auth logout "$index" "${as_amy[@]}"
check "logout has removed the password" prints '' skr list
options=(--timeout 3s)
login "$amy" "$index" "${as_amy[@]}" --password - 2>&1 | grep -v '^Stored'
options=()
check "--timeout 3s: found before it expires" prints "$amy" auth token "$index" "${as_amy[@]}"
sleep 3.1
check "expired: token fails" says 'Failed to fetch credentials' auth token "$index" "${as_amy[@]}"

# uv sends the stored password to the index.
/usr/bin/python3 "$CLIENTS/servers/wheel.py" files/packages
mkdir -p files/simple/orchard
wheel=orchard-1.0-py3-none-any.whl
echo "<!DOCTYPE html><a href='/packages/$wheel'>$wheel</a>" >files/simple/orchard/index
serve files "$WORK/files" <<<"basic amy $amy"
local_index=http://127.0.0.1:$port
install() {
    skr-secrets -- uv pip install --no-cache -q --no-deps --target "fetched$1" \
        --index-url "http://amy@127.0.0.1:$port/simple/" orchard
}
check "nothing stored: the index refuses" fails install 1
login "$amy" "$local_index" "${as_amy[@]}" --password - 2>&1 | grep -v '^Stored'
check "the package, with the stored password" install 2
check "the server saw the user" says ' amy$' tail -n 1 files.requests

secret large "$(head -c 18750 /dev/urandom | base64 -w 0)"
too_large() {
    limited 61106 'auth() { skr-secrets -- uv auth "$@" https://pypi.example.com --username amy; }
        read -r small large; auth login --password - <<<"$small" || exit
        auth login --password - <<<"$large"; echo "ended with $?"
        auth token' <<<"$amy $large"
}
printed=$(too_large 2>&1)
check "25,000 bytes with a quota of 20,000: login fails" says '^ended with 2$' echo "$printed"
check "too large: the error names the size and a way out" says 'has 25000 bytes.*skr-quota' echo "$printed"
check "too large: the password that it would have replaced is still there" says "^$amy\$" echo "$printed"
check "each service has ended with its command" services_ended

# The page's lines, typed by a reader in a shell below the service.
check "the page's lines" /usr/bin/python3 "$CLIENTS/support/type-passphrase.py" \
    skr-secrets -- bash -e -c "$(PAGE=SecretService page uv 1)" <<<"$other"
check "the page's lines have stored the password" prints "$other" auth token https://pypi.example.com --username alice
