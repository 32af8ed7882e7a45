sudo_user=skr-clients-sudo

# Removes the user of the scenario sudo, and sudo's records about that user.
remove_sudo_user() {
    ! id -u "$sudo_user" >/dev/null 2>&1 || userdel -f "$sudo_user"
    rm -f {/run/sudo/ts,/var/lib/sudo/lectured}/"$sudo_user"
} 2>/dev/null
