# A process that outlives its login, like a tmux server. PAM revokes the session keyring when the login ends.
outlive() {
    local login=$1 output=$work/out/$name.$1
    steps_of outlive "$output"
    su - "$login" -s /bin/bash -c "setsid bash $(printf '%q ' "${arguments[@]}") </dev/null >/dev/null 2>&1 &"
    touch "$output.release"
    await "$output.done"

    check "$login: set is refused, with cause, hint and exit code" holds "$output" \
        'skr: error: this login session has ended and its keyring was revoked
skr: hint: log in again, or start a new session with '"'exec skr session'"'; see '"'man skr-login-environments'"'
skr: hint: if a server of an earlier login runs skr, stop it: '"'bazel shutdown'"', '"'gradle --stop'"'
skr: detail: keyctl_get_keyring_ID: the key or its keyring was revoked (errno 128)
set 69'
    check "$login: get is refused with the same exit code" says "$output" '^get 69$'
    check "$login: the user scope still works" holds "$output" "$life"
    check "$login: doctor reports that the session has ended" says "$output" '^problem +session  +this login session has ended'
    check "$login: doctor has a hint" says "$output" '^ +hint: exec skr session$'
    check "$login: doctor ends with 0, for the user scope" says "$output" '^doctor 0$'
}
outlive root
outlive "$user"
