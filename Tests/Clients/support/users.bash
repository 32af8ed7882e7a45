sudo_user=skr-clients-sudo

# The user of the scenario sudo, and what sudo has noted of them.
remove_sudo_user() {
    ! id -u "$sudo_user" >/dev/null 2>&1 || userdel -f "$sudo_user"
    rm -f {/run/sudo/ts,/var/lib/sudo/lectured}/"$sudo_user"
} 2>/dev/null
