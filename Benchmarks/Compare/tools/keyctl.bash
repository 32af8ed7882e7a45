packages=(keyutils libkeyutils-dev gcc libc6-dev)
where="kernel memory" expires="with keyctl timeout, a second call" isolation="yes" daemon="no"

install() {
    compile keyutils -lkeyutils
    cc -O2 -Wall -Wextra -Werror -static -o "$work/bin/static-get" "$here/../ColdStart/get.c" -lkeyutils
}

# A keyring of its own, like the one in which skr has its items: all of these have the same work in the kernel.
prepare() {
    local ring key
    ring=$(keyctl newring compare-keyctl @s)
    cold_write "keyctl padd" '<' "$work/secret.txt" keyctl padd user compare-key "$ring"
    key=$(keyctl search @s user compare-key)
    cold_read "keyctl pipe SERIAL" keyctl pipe "$key"
    cold_read "keyctl search, keyctl pipe" sh -c 'exec keyctl pipe "$(keyctl search @s user compare-key)"'
    cold_read "C, a static program" static-get compare-key
    in_process "C, libkeyutils" in-process-keyutils 50 1000 "$ring" compare-key
}
