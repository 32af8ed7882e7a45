# What the files in tools/ are written with. Everything is kept in $work; secret.txt there holds the secret, a row of x.

# One fact or figure: its words as a line, separated by tabs.
note() {
    local file=$1 IFS=$'\t'
    shift
    printf '%s\n' "$*" >>"$work/$file"
}

# The last line that a step wrote to stderr, as a reason.
reason_of() {
    local reason
    reason=$(grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c 1-160 | tr '\t|' '  ' || true)
    echo "${reason:-no reason given}"
}

not_measured() { note missing.tsv "$1" "$name" "$2" "$3"; }

# The program as a path: race searches none. Words before it say what it reads.
resolve() {
    local word=0 path
    [[ $1 != '<' ]] || word=2
    words=("$@")
    path=$(type -P -- "${words[word]}") || { echo "no ${words[word]}" >&2; return 1; }
    words[word]=$path
}

run_words() {
    if [[ $1 == '<' ]]; then
        "${@:3}" <"$2"
    else
        "$@" </dev/null
    fi
}

# The secret alone, also out of git's protocol, without the newline that some end it with.
gives_secret() {
    local given
    given=$("$@") || return 1
    [[ $given == *password=* ]] && given=$(sed -n 's/^password=//p' <<<"$given")
    [[ $given == "$(<"$work/secret.txt")" ]] || { echo "it gave something else than the secret" >&2; return 1; }
}

is_time() { "$@" | grep -Eqx '[0-9]+'; }

# Runs a command once with a check; in order, it will be measured, else the table says why it was not. How often is a
# matter of its pace: quick, middle or slow.
offer() {
    local kind=$1 check=$2 label=$3 words=() errors=$work/errors
    shift 3
    if resolve "$@" 2>"$errors" && $check run_words "${words[@]}" >"$work/output" 2>"$errors"; then
        note offers.tsv "$kind" "${pace:-quick}" "$name" "$label" "$(printf '%q ' "${words[@]}")"
    elif [[ -s $work/reason.$name ]]; then
        not_measured "$kind" "$label" "$(<"$work/reason.$name")"
    else
        not_measured "$kind" "$label" "$(reason_of "$errors")"
    fi
}

# cold_write LABEL [< FILE] COMMAND...: a whole process that stores the secret. cold_read: one that gives it.
cold_write() { offer write "" "$@"; }
cold_read() { offer read gives_secret "$@"; }

# in_process LABEL COMMAND...: a program that gets the secret many times, and prints the median time in nanoseconds.
in_process() { offer in-process is_time "$@"; }

compile() {
    cc -O2 -Wall -Wextra -Werror -I "$here/InProcess" -o "$work/bin/in-process-$1" \
        "$here/InProcess/$1.c" "$here/InProcess/measure.c" "${@:2}"
}

# gnome-keyring on a bus of its own. Nothing is started by the bus, so nothing can be left behind by it.
secret_service() {
    local try
    [[ ! -S $work/run/bus ]] || return 0
    cat >"$work/bus.conf" <<EOF
<busconfig>
  <type>session</type>
  <listen>$DBUS_SESSION_BUS_ADDRESS</listen>
  <policy context="default">
    <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
  </policy>
</busconfig>
EOF
    dbus-daemon --config-file="$work/bus.conf" --nofork --nopidfile >"$work/bus.log" 2>&1 &
    for try in {1..100}; do [[ ! -S $work/run/bus ]] || break; sleep 0.1; done
    printf 'not a secret' | gnome-keyring-daemon --foreground --unlock --components=secrets >"$work/daemon.log" 2>&1 &
    for try in {1..100}; do
        if dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
            string:org.freedesktop.secrets 2>"$work/errors" | grep -q 'boolean true'; then return 0; fi
        sleep 0.1
    done
    echo "gnome-keyring does not answer on its bus: $(tail -n 1 "$work/errors" "$work/daemon.log")" >&2
    return 1
}
