# A tmux server that outlives the login that started it: once in the login's session, and once in its own.

# in_tmux STEP [BEFORE...]: a login starts the server, with the words BEFORE in front of the command, and ends.
in_tmux() {
    output=$work/out/$name.$user
    steps_of "$1" "$output"
    su - "$user" -s /bin/bash -c "${*:2} tmux -L $name -f /dev/null new-session -d $(printf '%q ' bash "${arguments[@]}")"
    touch "$output.release"
    await "$output.done"
    check "$user: the server has outlived its login" test -e "$output.done"
}

in_tmux outlive
check "$user: set is refused, with a hint" says "$output" "^skr: hint: log in again, or start a new session with 'exec skr session'; see 'man skr-login-environments'$"
check "$user: set ends with 69" says "$output" '^set 69$'

name=tmux-session
in_tmux outlive "$skr" session --
check "$user: the stored secret can be read" holds "$output" 'set 0
trialget 0'
check "$user: doctor finds the server's own session" says "$output" '^ok +session  .*keyring [0-9]+ _ses, '
