packages=(keyutils libkeyutils-dev pkg-config)
where="kernel memory" expires="yes" isolation="yes" daemon="no"

install() {
    PATH=$PATH:/opt/swift/usr/bin
    local build=(swift build --package-path "$here/.." -c release --product compare-inprocess)
    "${build[@]}" >&2
    ln -s "$("${build[@]}" --show-bin-path)/compare-inprocess" "$work/bin/compare-inprocess"
}

prepare() {
    cold_write "skr set" '<' "$work/secret.txt" "$skr" set compare alice --timeout 1h
    cold_read "skr get" "$skr" get compare alice
    in_process "Swift, bytes borrowed" compare-inprocess 50 1000 borrowed compare alice
    in_process "Swift, bytes owned" compare-inprocess 50 1000 owned compare alice
}
