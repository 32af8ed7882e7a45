# twine, which asks Python's keyring for its password. The keyring's backend calls skr.
client twine "$(twine --version | sed -nE '1s/twine version ([^ ]*).*/\1/p')"
secret amy
secret wrong
eval "$(page twine 1)"
export PYTHONPATH=$CLIENTS/../../Sources/skr/Verbs/Helper/Python PYTHONDONTWRITEBYTECODE=1
python3 "$CLIENTS/servers/wheel.py" dist
mkdir files
serve files "$WORK/files" <<<"basic amy $amy"
url=http://127.0.0.1:$port/legacy/
upload() { timeout 60 twine upload --non-interactive --disable-progress-bar --repository-url "$url" -u amy dist/*; }
put() { python3 -m keyring set "$url" amy <<<"$1"; }

check "nothing stored: upload fails" fails upload
check "keyring set, with a wrong password" put "$wrong"
check "wrong password: refused" says '401 Unauthorized' upload
check "keyring set" put "$amy"
check "skr get has the same secret" prints "$amy" skr get "$url" amy
check "upload" upload
check "the server saw the user" says '^POST /legacy amy$' tail -n 1 files.requests
put "$wrong"
SKR_TIMEOUT=3s put "$amy"
check "with a timeout" upload
sleep 3.1
check "expired: upload fails" fails upload
put "$amy"
check "keyring get" prints "$amy" python3 -m keyring get "$url" amy
check "keyring del" python3 -m keyring del "$url" amy
check "removed: keyring get fails" fails python3 -m keyring get "$url" amy
check "removed: upload fails" fails upload
check "keyring del of a missing password fails" fails python3 -m keyring del "$url" amy

unset PYTHON_KEYRING_BACKEND
mkdir -p ~/.config/python_keyring
page twine 2 >~/.config/python_keyring/keyringrc.cfg
check "chosen in keyringrc.cfg: keyring set" put "$amy"
check "chosen in keyringrc.cfg: upload" upload
