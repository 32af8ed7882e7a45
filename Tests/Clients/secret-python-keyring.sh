# Python's keyring with its own backend for the Secret Service, on SecretStorage and jeepney.
source "$CLIENTS/support/secrets.bash"
secret amy
secret ben
python=$INSTALLED/venv/bin/python
version() { "$python" -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$1"; }
client "python-keyring with SecretStorage" "$(version keyring) and $(version SecretStorage)"

keyring() { "$python" -m keyring "$@"; }
with() { skr-secrets "${options[@]}" -- "$python" -m keyring "$@"; }
put() { printf %s "$1" | with set "${@:2}"; }
check "without a service, keyring has no backend" says 'NoKeyringError|No recommended backend' keyring get orchard amy
check "keyring chooses the Secret Service" says '^keyring.backends.SecretService.Keyring' with --list-backends
check "nothing stored: get ends with 1" fails_with 1 with get orchard amy
check "nothing stored: get prints nothing" prints '' with get orchard amy
check "nothing stored: del fails" says 'PasswordDeleteError' with del orchard amy
check "set" put "$amy" orchard amy
check "get" prints "$amy" with get orchard amy
check "credentials without a user" says "^$amy\$" with --mode creds get orchard
check "skr list" prints password$'\t'orchard$'\t'amy$'\t'${#amy}$'\t'- skr list
check "skr get has the same secret" prints "$amy" skr get orchard amy
value=$ben store orchard amy
check "a password that skr set has replaced" prints "$ben" with get orchard amy
value=$amy store meadow amy
check "a password that only skr set has stored" prints "$amy" with get meadow amy
skr delete meadow amy
check "deleted by skr delete: get ends with 1" fails_with 1 with get meadow amy
check "deleted by skr delete: the other one is still found" prints "$ben" with get orchard amy
check "del" with del orchard amy
check "deleted: skr get does not find it" fails_with 1 skr get orchard amy
options=(--timeout 3s)
put "$amy" orchard amy
options=()
check "--timeout 3s: found before it expires" prints "$amy" with get orchard amy
sleep 3.1
check "expired: get ends with 1" fails_with 1 with get orchard amy

secret large "$(head -c 18750 /dev/urandom | base64 -w 0)"
too_large() {
    limited 61107 'keyring() { skr-secrets -- "$python" -m keyring "$1" orchard amy; }; python=$1
        read -r small large; keyring set <<<"$small" || exit
        keyring set <<<"$large"; echo "ended with $?"
        keyring get' "$python" <<<"$amy $large"
}
printed=$(too_large 2>&1)
check "25,000 bytes with a quota of 20,000: set fails" says '^ended with 1$' echo "$printed"
check "too large: the error names the size and a way out" says 'has 25000 bytes.*skr-quota' echo "$printed"
check "too large: the password that it would have replaced is still there" says "^$amy\$" echo "$printed"
check "each service has ended with its command" services_ended

# The page's lines, with the programs of the environment.
check "the page's lines" env -u PIP_CONFIG_FILE "PATH=$INSTALLED/venv/bin:$PATH" skr-secrets -- \
    bash -e -c "$(PAGE=SecretService page 'pip, twine, poetry' 1)" <<<"$ben"
check "the page's lines have stored the password" prints "$ben" skr get https://pypi.example.com/simple/ alice
