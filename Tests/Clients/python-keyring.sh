#!/bin/bash
# Runs python-keyring's backend tests on our backend, with the skr and skr-secrets in PATH and PyPI's packages in a
# temporary folder.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 -m venv "$place/venv"
export PATH="$place/venv/bin:$PATH"
# Installs the backend from the clone, as the page describes. The installation must leave no files in the clone.
backend=$here/../../Sources/skr/Verbs/Helper/Python
before=$(ls -A "$backend")
pip install --quiet --disable-pip-version-check pytest keyring "$backend"
[ "$(ls -A "$backend")" = "$before" ] || { echo "pip left files in the clone: $(ls -A "$backend")"; exit 1; }
skr version
python3 --version
echo "# real: python-keyring $(pip show keyring | sed -n 's/^Version: //p')" >>"${CLIENTS_LIST:-/dev/null}"
pip list --format freeze --disable-pip-version-check | grep -iE '^(keyring|skr.keyring|pytest)='

cat > "$place/test_backend.py" <<'TESTS'
import keyring
import pytest
import skr_keyring
from keyring.testing.backend import BackendBasicTests


class TestKeyring(BackendBasicTests):
    def init_keyring(self):
        chosen = keyring.get_keyring()
        assert isinstance(chosen, skr_keyring.Keyring)
        return chosen


@pytest.mark.parametrize("password", ["\n", "a\n\n", "\r\n", " ", "\0x", "\ufeff", "p" * 32_767])
def test_exact(password):
    backend = skr_keyring.Keyring()
    backend.set_password("-p", "--mode", password)
    assert backend.get_password("-p", "--mode") == password
    assert backend.get_credential("-p", None).password == password
    backend.delete_password("-p", "--mode")
    assert backend.get_credential("-p", None) is None


def test_without_skr(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(keyring.errors.KeyringError, match="skr is not in PATH"):
        keyring.get_password("service", "user")
TESTS

cd "$place"
own=skr_keyring.Keyring
# chosen BACKEND COMMAND...: fails unless keyring, started by the command, chooses that backend.
chosen() {
    local found
    found=$("${@:2}" python -c 'import keyring; found = type(keyring.get_keyring()); print(f"{found.__module__}.{found.__name__}")')
    [ "$found" = "$1" ] || { echo "keyring chooses $found instead of $1: ${*:2}"; exit 1; }
}
mkdir -p file/python_keyring
printf '[backend]\ndefault-keyring=%s\n' "$own" >file/python_keyring/keyringrc.cfg
chosen keyring.backends.fail.Keyring env XDG_CONFIG_HOME=/nonexistent
chosen keyring.backends.SecretService.Keyring env XDG_CONFIG_HOME=/nonexistent keyctl session - skr-secrets --
# keyring's chainer uses every backend with a priority above 0.
mkdir another
printf '%s\n' 'from keyring.backends.null import Keyring as Null' '' '' 'class Keyring(Null):' '    priority = 0.5' >another/another.py
chain=$(PYTHONPATH=another python -c '
import another
from keyring.backends.chainer import ChainerBackend
print(*(backend.__module__ for backend in ChainerBackend.backends))')
[ "$chain" = another ] || { echo "keyring's chainer uses $chain"; exit 1; }
chosen "$own" env PYTHON_KEYRING_BACKEND="$own"
chosen "$own" env XDG_CONFIG_HOME="$place/file"
chosen "$own" env PYTHON_KEYRING_BACKEND="$own" keyctl session - skr-secrets --

export PYTHON_KEYRING_BACKEND=$own
for run in 1 2 3; do
    keyctl session - pytest -q -p no:cacheprovider "$place/test_backend.py"
done
