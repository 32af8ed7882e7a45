# pip and uv with the program keyring, against an index with basic authentication.
secret amy
secret ben
secret wrong
python3 "$CLIENTS/servers/wheel.py" files/packages
mkdir -p files/simple/orchard
wheel=orchard-1.0-py3-none-any.whl
echo "<!DOCTYPE html><a href='/packages/$wheel'>$wheel</a>" >files/simple/orchard/index
serve files "$WORK/files" <<<"basic amy $amy"$'\n'"basic ben $ben"
host=127.0.0.1:$port
index=http://amy@$host/simple/
/usr/bin/python3 -m venv old
unset PIP_CONFIG_FILE
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=0 UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never

# Each client is called as CLIENT URL. Only the page's lines configure it to use the program keyring.
old_pip() { fetched old/bin/pip download --no-cache-dir -q --no-deps -d fetched -i "$1" orchard; }
middle_pip() { fetched "$INSTALLED/middle-pip/bin/pip" --no-input download --no-cache-dir -q --no-deps -d fetched -i "$1" orchard; }
new_pip() { fetched pip --no-input download --no-cache-dir -q --no-deps -d fetched -i "$1" orchard; }
new_uv() { fetched uv pip install --no-cache -q --no-deps --target fetched --index-url "$1" orchard; }
fetched() { rm -rf fetched && timeout 60 "$@" </dev/null && [ -n "$(ls fetched)" ]; }
put() { printf '%s\n' "$2" | keyring "${@:3}" set "http://$host/simple/" "$1"; }
at_page() { page pip 1 https://pypi.example.com "http://$host" alice amy; }
lines=$(at_page)
check "the page's lines" bash -e -c "$lines" <<<"$amy"
# Exports the variables of the page's lines in this shell too. The lines that store are left out.
eval "$(grep ^export <<<"$lines")"
# The URL of the index as the page writes it.
page_url=$(sed -nE 's,.*`https://alice@(pypi.example.com/[^`]*)`.*,\1,p' "$CLIENTS/../../Sources/SessionKeyring/SessionKeyring.docc/UseItWith.md")
page_url=http://amy@$host/${page_url#*/}

life() {
    keyctl clear @s
    check "nothing stored: refused" fails "$1" "$index"
    bash -e -c "$lines" <<<"$amy" >/dev/null
    check "the package, with the password that the page's lines stored" "$1" "$page_url"
    check "the server saw the user" says ' amy$' tail -n 1 files.requests
    keyctl clear @s
    keyring set "http://$host/simple" amy <<<"$amy"
    check "the package, with a password stored without the final slash" "$1" "$page_url"
    check "the package, from an index without the final slash" "$1" "http://amy@$host/simple"
    keyctl clear @s
    keyring set "$host" amy <<<"$amy"
    check "the package, with a password stored for the host" "$1" "$page_url"
    keyctl clear @s
    put amy "$wrong"
    check "wrong password: refused" fails "$1" "$index"
    put amy "$amy"
    put ben "$ben"
    check "another user of the same host" "$1" "http://ben@$host/simple/"
    check "the server saw the other user" says ' ben$' tail -n 1 files.requests
    keyring del "http://$host/simple/" ben
    check "the other user removed: refused" fails "$1" "http://ben@$host/simple/"
    check "the first user's password is still stored" "$1" "$index"
    keyring del "http://$host/simple/" amy
    put amy "$amy" --timeout 4s
    check "with a timeout" "$1" "$index"
    sleep 4.1
    check "expired: refused" fails "$1" "$index"
}
client pip "$(old/bin/pip --version | cut -d ' ' -f 2)"
life old_pip
client pip "$("$INSTALLED/middle-pip/bin/pip" --version | cut -d ' ' -f 2)"
life middle_pip
client pip "$(pip --version | cut -d ' ' -f 2)"
life new_pip
put amy "$amy"
check "without a user in the URL, the keyring's user" new_pip "http://$host/simple/"
client uv "$(uv --version | cut -d ' ' -f 2)"
life new_uv

name=keyring
keyctl clear @s
check "get of a missing password: exit 1" fails_with 1 keyring get "$host" amy
check "get of a missing password: no output" prints '' keyring get "$host" amy
keyring set "$host" amy <<<"$amy"
check "get" prints "$amy" keyring get "$host" amy
check "creds as JSON" says "\"password\": ?\"$amy\"" keyring --mode=creds --output=json get "$host"
check "creds on two lines" prints "amy"$'\n'"$amy" keyring get "$host" --mode creds
check "skr get has the same secret" prints "$amy" skr get "$host" amy
check "del" keyring del "$host" amy
check "del of a missing password fails" fails keyring del "$host" amy
