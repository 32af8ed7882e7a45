# What the scenarios need of the machine, and its removal.

user=skr-env-one
other=skr-env-two
packages=(openssh-server openssh-client sudo cron keyutils util-linux libpam-modules passwd login tmux)

prepare_machine() {
    install_packages
    work=$(mktemp -d)
    chmod 755 "$work"
    mkdir -m 1777 "$work/out"
    mkdir "$work/processes"
    install -m 755 "$executable" "$work/skr"
    install -m 644 "$scenarios/support/steps" "$work/steps"
    skr=$work/skr
    remove_users
    for name in "$user" "$other"; do
        useradd -m -s /bin/bash "$name"
        # Not locked, and no password that fits: sshd without PAM refuses locked accounts.
        usermod -p '*' "$name"
    done
    # Whoever runs this may have a session keyring, as in a container; then so has every login that makes none of its own.
    outer=session
    [[ $(keyctl rdescribe @s) == *';_uid_ses.0' ]] && outer=none
    had_persistent=no
    grep -q ' _persistent\.0: ' /proc/keys && had_persistent=yes
    # What is there stays there.
    export root_rings=" $(echo $(keyctl rlist @s) $(keyctl rlist @u)) "
    pam_services=()
    made_run_sshd=
}

restore_machine() {
    set +e
    for process in "$work"/processes/*; do
        [ -e "$process" ] && stop "${process##*/}"
    done
    wait 2>/dev/null
    for service in "${pam_services[@]}"; do rm -f "/etc/pam.d/$service"; done
    [ -n "$made_run_sshd" ] && rmdir /run/sshd
    remove_users
    forget_root_items
    rm -rf "$work"
}

# A daemon of a scenario, which must not outlive it; a file, because scenarios start some in subshells.
started() { touch "$work/processes/$1"; }

stop() {
    kill "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    rm -f "$work/processes/$1"
}

# Root's rings of the scenarios, and root's persistent keyring if there was none before.
forget_root_items() {
    unlink_items @s
    unlink_items @u
    # In a session of its own, to which the kernel links the persistent keyring.
    export -f unlink_items
    keyctl session - bash -c '
        persistent=$(keyctl get_persistent @s)
        unlink_items "$persistent"
        [ "$0" = yes ] || keyctl invalidate "$persistent"' "$had_persistent" >/dev/null 2>&1
}

unlink_items() {
    local ring
    for ring in $(keyctl rlist "$1"); do
        [[ $root_rings == *" $ring "* ]] && continue
        case $(keyctl rdescribe "$ring" 2>/dev/null) in
        *';skr:environment-'* | *';skr-leases-2') keyctl unlink "$ring" "$1" ;;
        esac
    done
}

remove_users() {
    for name in "$user" "$other"; do
        id -u "$name" >/dev/null 2>&1 || continue
        for _ in {1..50}; do
            left=$(pgrep -u "$name") || break
            # shellcheck disable=SC2086
            kill -KILL $left
            sleep 0.05
        done
        # The kernel would keep them for a while, for whoever gets the number next.
        export -f unlink_items
        setpriv --reuid "$name" --clear-groups bash -c 'unlink_items @u; unlink_items @us' 2>/dev/null
        keyctl session - bash -c 'keyctl invalidate "$(keyctl get_persistent @s "$0")"' "$(id -u "$name")" 2>/dev/null >&2
        userdel -r -f "$name" 2>/dev/null
    done
    return 0
}

install_packages() {
    local missing=() made_policy=
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    # Their daemons are not to start.
    [ -e /usr/sbin/policy-rc.d ] || {
        printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
        chmod 755 /usr/sbin/policy-rc.d
        made_policy=1
    }
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    if [ -n "$made_policy" ]; then rm -f /usr/sbin/policy-rc.d; fi
}
