# Prepares the machine for the scenarios, and restores it.

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
        # The account is not locked, but no password matches. sshd without PAM refuses locked accounts.
        usermod -p '*' "$name"
    done
    # The caller of this script can have a session keyring, as in a container. Then every login that creates no session
    # has it too.
    outer=session
    [[ $(keyctl rdescribe @s) == *';_uid_ses.0' ]] && outer=none
    had_persistent=no
    grep -q ' _persistent\.0: ' /proc/keys && had_persistent=yes
    # The rings that root already has, which the cleanup must keep.
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

# started PID: records a daemon that must not outlive its scenario. The record is a file, because scenarios start some
# daemons in subshells.
started() { touch "$work/processes/$1"; }

stop() {
    kill "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    rm -f "$work/processes/$1"
}

# Removes the scenarios' rings of root, and root's persistent keyring if it did not exist before.
forget_root_items() {
    unlink_items @s
    unlink_items @u
    # Runs in a new session, to which the kernel links the persistent keyring.
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
        *';skr:environment-'* | *';skr-leases') keyctl unlink "$ring" "$1" ;;
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
        # Otherwise the kernel would keep these keys for a while, and the next user with this number would get them.
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
    # The daemons in the packages must not start.
    [ -e /usr/sbin/policy-rc.d ] || {
        printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
        chmod 755 /usr/sbin/policy-rc.d
        made_policy=1
    }
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    if [ -n "$made_policy" ]; then rm -f /usr/sbin/policy-rc.d; fi
}
