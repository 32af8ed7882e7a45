packages=(gnome-keyring dbus python3-venv python3-pip)
where="encrypted file; clear in the daemon" expires="no" isolation="no" daemon="yes, and D-Bus" pace=slow

install() {
    /usr/bin/python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir keyring >&2
}

prepare() {
    secret_service
    cold_write "keyring set" '<' "$work/secret.txt" "$work/venv/bin/keyring" set compare-python alice
    cold_read "keyring get" "$work/venv/bin/keyring" get compare-python alice
    in_process "Python, keyring" "$work/venv/bin/python" "$here/InProcess/measure.py" 50 1 keyring compare-python alice
}
