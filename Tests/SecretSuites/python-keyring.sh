# python-keyring's own tests of backends.
version() { "$INSTALLED/venv/bin/pip" --disable-pip-version-check show "$1" | sed -n 's/^Version: //p'; }
client keyring "$(version keyring)"
skr-secrets -- "$INSTALLED/venv/bin/python" -B -m pytest -v -p no:cacheprovider "$SUITES/python-keyring.py" >output 2>&1
status=$?
sed -nE 's/^.*::(test_[^ ]*) PASSED.*/passed \1/p; s/^.*::(test_[^ ]*) [A-Z]+ .*/failed \1/p' output |
    judge keyring BackendBasicTests
ends_well() { cat output; [ "$status" = 0 ]; }
check "BackendBasicTests: pytest ends with 0" ends_well
