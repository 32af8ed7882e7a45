packages=(python3-keyutils keyutils)
where="kernel memory" expires="with set_timeout, a second call" isolation="yes" daemon="no" pace=middle

prepare() {
    local ring
    ring=$(keyctl newring compare-python @s)
    cold_write "python3 -c, add_key" '<' "$work/secret.txt" /usr/bin/python3 -c '
import keyutils, sys
keyutils.add_key(b"compare-python", sys.stdin.buffer.read(), int(sys.argv[1]))' "$ring"
    cold_read "python3 -c, keyutils" /usr/bin/python3 -c '
import keyutils, sys
found = keyutils.search(keyutils.KEY_SPEC_SESSION_KEYRING, b"compare-python")
sys.stdout.buffer.write(keyutils.read_key(found))'
    in_process "Python, python3-keyutils" /usr/bin/python3 "$here/InProcess/measure.py" 50 1000 keyutils "$ring" compare-python
}
