#!/bin/bash
# Runs python-keyring's backend tests on our backend, with the skr in PATH and PyPI's packages in a temporary folder.
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
        return skr_keyring.Keyring()


def test_chosen_by_its_entry_point():
    assert isinstance(keyring.get_keyring(), skr_keyring.Keyring)


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
    with pytest.raises(RuntimeError):
        skr_keyring.Keyring.priority
    assert not skr_keyring.Keyring.viable
TESTS

cd "$place"
for run in 1 2 3; do
    keyctl session - pytest -q -p no:cacheprovider "$place/test_backend.py"
done
