# restic, which runs a command to get its password.
client restic "$(restic version | cut -d ' ' -f 2)"
secret value
secret wrong
export RESTIC_REPOSITORY=$WORK/repository RESTIC_CACHE_DIR=$WORK/cache
mkdir data
echo text >data/file
restic() { command restic --quiet --password-command 'skr get restic' "$@"; }

check "nothing stored: init fails, and the error gives the reason" says 'restic: no such item, or it has expired' restic init
check "nothing stored: no repository was made" fails test -e repository/config
store restic
check "init" restic init
check "backup" restic backup data
check "restore" restic restore latest --target restored
check "the restored file" prints text find restored -name file -exec cat {} +
printf %s "$wrong" | skr set restic
check "wrong password: refused" says 'wrong password or no key found' restic snapshots
store restic --timeout 3s
check "with a timeout" restic snapshots
sleep 3.1
check "expired: refused" fails restic snapshots
store restic
skr delete restic
check "removed: refused" fails restic snapshots
