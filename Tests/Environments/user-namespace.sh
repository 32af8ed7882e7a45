# unshare -Ur: the session is the same as outside, but the user keyring is another one.
if ! setpriv --reuid "$user" --regid "$user" --init-groups unshare -Ur true 2>/dev/null; then
    check "a user can create a user namespace, unless the kernel's settings forbid it" \
        grep -qx 0 /proc/sys/user/max_user_namespaces /proc/sys/kernel/unprivileged_userns_clone
else
    output=$work/out/$name
    steps_of visit "$output"
    # While the step runs, items of both scopes exist outside the namespace.
    setpriv --reuid "$user" --regid "$user" --init-groups keyctl session - bash -c '
        export SKR_NAMESPACE=$1; skr=$2; shift 2
        printf trial | "$skr" set held
        printf trial | "$skr" set held --scope user
        unshare -Ur bash "$@"
        "$skr" delete held --scope user' outside "environment-$name" "$skr" "${arguments[@]}" </dev/null 2>/dev/null
    check "another process gets, lists and deletes a stored secret" holds "$output" "$life"
    check "the session is shared with processes outside" says "$output" '^session trial$'
    check "the user scope is not shared" says "$output" '^user $'
    check "doctor reports the separate user scope" says "$output" '^warning +user-namespace  +a separate one: its user and persistent scopes'
    check "doctor reports that the session works" says "$output" '^ok +session  .*stored and read back'
    check "doctor ends with 0" says "$output" '^doctor 0$'
    row 'a user namespace: `unshare -Ur`, rootless containers' 'all processes of the session around it' 'that session ends' '`export SKR_SCOPE=session`'
fi
