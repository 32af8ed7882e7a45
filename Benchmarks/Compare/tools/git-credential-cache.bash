packages=(git)
where="the daemon's memory" expires="yes" isolation="no" daemon="yes"

prepare() {
    # The address is on no network; git only compares it.
    printf '%s\n' protocol=https host=compare.invalid username=alice >"$work/question"
    { cat "$work/question"; printf 'password=%s\n' "$(<"$work/secret.txt")"; } >"$work/credential"
    mkdir -m 700 "$work/cache"
    local socket=$work/cache/socket
    cold_write "git credential-cache store" '<' "$work/credential" \
        git credential-cache --socket="$socket" --timeout=3600 store
    cold_read "git credential-cache get" '<' "$work/question" git credential-cache --socket="$socket" get
    cold_read "git credential fill (cache)" '<' "$work/question" \
        git -c credential.helper="cache --socket=$socket" credential fill
}
