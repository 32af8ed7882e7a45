# The seccomp filter of common containers. The three calls fail with EPERM, or with ENOSYS as if the kernel did not
# have them.
behind_filter() {
    perl -e '
        my %numbers = (x86_64 => [157, 248, 249, 250], aarch64 => [167, 217, 218, 219]);
        my ($machine, $error) = splice @ARGV, 0, 2;
        my ($prctl, @calls) = @{$numbers{$machine} or die "unknown machine $machine\n"};
        my @rules = ([0x20, 0, 0, 0], (map { [0x15, 3 - $_, 0, $calls[$_]] } 0..2), [0x06, 0, 0, 0x7fff0000],
            [0x06, 0, 0, 0x50000 + $error]);
        my $program = join "", map { pack "SCCL", @$_ } @rules;
        syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
        syscall($prctl, 22, 2, pack("S x6 P", scalar @rules, $program)) == 0 or die "seccomp: $!\n";
        exec @ARGV or die "exec: $!\n"' "$(uname -m)" "$1" "${@:2}"
}

# refuse ERRNO USER: checks skr's output under a filter that returns ERRNO.
refuse() {
    local error=$1 login=$2 output=$work/out/$name.$1.$2
    steps_of refused "$output"
    behind_filter "$error" setpriv --reuid "$login" --regid "$login" --init-groups bash "${arguments[@]}" </dev/null
    await "$output.done"
    check "$login, errno $error: every verb is refused with 69" \
        test "$(grep -cxE '(set|get|list) 69' "$output")" = 9
    check "$login, errno $error: the error names the cause" says "$output" \
        "^skr: error: no usable kernel keyring$"
    check "$login, errno $error: the detail names the call" says "$output" \
        "^skr: detail: keyctl_get_keyring_ID: .*\(errno $error\)$"
    check "$login, errno $error: the hint has the fix" says "$output" \
        "^skr: hint: in a container, allow add_key and keyctl in its seccomp profile; otherwise, use a kernel with CONFIG_KEYS$"
    check "$login, errno $error: doctor names the filter" says "$output" \
        "^problem +calls  +a seccomp filter, as in a container, blocks add_key \(errno $error\), keyctl"
    check "$login, errno $error: doctor has a hint" says "$output" '^ +hint: docker run --security-opt seccomp='
    check "$login, errno $error: doctor ends with 69" says "$output" '^doctor 69$'
}
for error in 1 38; do
    refuse "$error" root
    refuse "$error" "$user"
done
row 'a container whose seccomp profile blocks the keyring calls' 'nobody: exit code 69' '-' 'see *Containers*'
