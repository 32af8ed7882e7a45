packages=(gnome-keyring libsecret-tools dbus gcc libc6-dev pkg-config libsecret-1-dev)
where="encrypted file; clear in the daemon" expires="no" isolation="no" daemon="yes, and D-Bus" pace=middle

install() {
    local flags
    flags=$(pkg-config --cflags --libs libsecret-1)
    # shellcheck disable=SC2086 # flags are words
    compile libsecret $flags
}

prepare() {
    secret_service
    cold_write "secret-tool store" '<' "$work/secret.txt" \
        secret-tool store --label=compare service compare account alice
    cold_read "secret-tool lookup" secret-tool lookup service compare account alice
    in_process "C, libsecret" in-process-libsecret 50 20 compare alice
}
