# The functions of the scenarios with skr-secrets.

# The services of a scenario have their sockets here.
export XDG_RUNTIME_DIR=$WORK/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

# Fails unless each service has ended with its command. A service that ends removes its socket.
services_ended() {
    local left
    for _ in {1..40}; do
        left=$(find "$XDG_RUNTIME_DIR" -name 'skr-secrets*' | wc -l)
        [ "$left" != 0 ] || return 0
        sleep 0.05
    done
    echo "$left services still run, or have left their socket"
    return 1
}

# limited USER-ID SCRIPT [ARGUMENT...]: runs the bash script as that user, who has the kernel's usual quota of 20,000
# bytes, in a new session keyring. Each scenario has its own user, because all sessions of a user share one quota.
limited() {
    local home=$WORK/limited
    [ -d "$home" ] || mkdir -m 700 "$home"
    chown "$1" "$home"
    setpriv --reuid "$1" --regid "$1" --clear-groups \
        env HOME="$home" TMPDIR="$home" XDG_RUNTIME_DIR="$home" keyctl session - bash -c "cd; $2" bash "${@:3}"
}

# kinds: prints the kinds of the stored items, one on each line.
kinds() { skr list | cut -f 1; }
