# cron keeps the session in which it was started. Each login gets its own cron, which sees only that login's crontab and
# runs it immediately. A mount namespace hides the machine's crontabs.
in_cron() {
    local login=$1 tab
    shift
    tab=$(printf '%q ' "$@")
    CRON_TAB="@reboot $tab" CRON_USER=$login unshare -m --propagation private setsid bash -euc '
        mount -t tmpfs none /var/spool/cron/crontabs
        mount -t tmpfs none /etc/cron.d
        mount -t tmpfs none /run
        mount --bind /dev/null /etc/crontab
        chmod 1730 /var/spool/cron/crontabs
        chown root:crontab /var/spool/cron/crontabs
        printf "%s\n" "$CRON_TAB" >/var/spool/cron/crontabs/$CRON_USER
        chown "$CRON_USER:crontab" /var/spool/cron/crontabs/$CRON_USER
        chmod 600 /var/spool/cron/crontabs/$CRON_USER
        unset CRON_TAB CRON_USER
        exec cron -f' &
    local cron=$!
    started "$cron"
    await "${arguments[2]}.done"
    stop "$cron"
}
check_logins in_cron root $(inherited root)
check_logins in_cron "$user" $(inherited "$user")
