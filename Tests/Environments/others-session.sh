# A session that belongs to another ordinary user, as after su from one user to another. Root gives the session away
# here, because neither user has a password.
between() {
    keyctl session - bash -c 'keyctl chown @s "$0" && exec "$@"' "$(id -u "$other")" \
        setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"
}
output=$work/out/$name
steps_of visit "$output"
between "$user" bash "${arguments[@]}" </dev/null >/dev/null 2>&1
check "storing is refused with 77; with --scope session, another process gets, lists and deletes a stored secret" \
    holds "$output" "$(refused "$(id -u "$other")")"$'\n'"$life"
check "doctor names the owner" says "$output" \
    "^warning +session  +session of uid $(id -u "$other"), who can read the secrets in it and replace them; skr refuses to store in it;"
check "doctor has a hint" says "$output" '^ +hint: exec skr session$'
check "doctor reports both quotas" says "$output" \
    "^ok +quota  .*uid $(id -u "$user") uses .*; uid $(id -u "$other") uses "
check "doctor ends with 0" says "$output" '^doctor 0$'
