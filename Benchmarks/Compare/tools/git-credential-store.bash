packages=(git)
where="file, in clear" expires="no" isolation="no" daemon="no"

prepare() {
    printf '%s\n' protocol=https host=compare.invalid username=alice >"$work/question"
    { cat "$work/question"; printf 'password=%s\n' "$(<"$work/secret.txt")"; } >"$work/credential"
    cold_write "git credential-store store" '<' "$work/credential" \
        git credential-store --file="$work/git-credentials" store
    cold_read "git credential-store get" '<' "$work/question" git credential-store --file="$work/git-credentials" get
}
