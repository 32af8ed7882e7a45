packages=(gcc libc6-dev)
where="file, in clear" expires="no" isolation="no" daemon="no"

install() { compile file; }

prepare() {
    (umask 077 && : >"$work/plain")
    cold_write "tee FILE" '<' "$work/secret.txt" tee "$work/plain"
    cold_read "cat FILE" cat "$work/plain"
    in_process "C, a file" in-process-file 50 1000 "$work/plain"
}
