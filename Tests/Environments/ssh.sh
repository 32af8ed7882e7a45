# ssh over loopback: with Debian's PAM, with several sessions over one connection, with our PAM service with and without
# pam_keyinit, and without PAM.

start_sshd() {
    local program=$1 port=$2 pam=$3
    cat >"$work/ssh/$port.conf" <<CONFIGURATION
ListenAddress 127.0.0.1
Port $port
HostKey $work/ssh/host
PidFile none
UsePAM $pam
AuthorizedKeysFile $work/ssh/client.pub
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
UseDNS no
MaxStartups 50
CONFIGURATION
    "$program" -D -e -f "$work/ssh/$port.conf" 2>"$work/ssh/$port.log" &
    started "$!"
    for _ in {1..200}; do grep -q 'Server listening' "$work/ssh/$port.log" && return; sleep 0.025; done
    cat "$work/ssh/$port.log"
    return 1
}

# free_port PORT: prints the first free port from PORT on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    echo "$port"
}

connection=()
over_ssh() {
    ssh -F none -i "$work/ssh/client" -p "$port" -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR \
        -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes "${connection[@]}" "$1@127.0.0.1" "$(printf '%q ' "${@:2}")"
}

# sshd uses the PAM service that has the name of its program. A link with another name makes it use our service.
pam_service() {
    local service=$1 line=$2
    pam_services+=("$service")
    cat >"/etc/pam.d/$service" <<CONFIGURATION
account required pam_unix.so
$line
session required pam_unix.so
CONFIGURATION
    ln -s /usr/sbin/sshd "$work/ssh/$service"
}

mkdir -p "$work/ssh"
ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/client"
[ -d /run/sshd ] || { mkdir -m 755 /run/sshd; made_run_sshd=1; }

name=ssh-debian
port=$(free_port 42200)
start_sshd /usr/sbin/sshd "$port" yes
check_logins over_ssh root login apart
check_logins over_ssh "$user" login apart

name=ssh-multiplexed
connection=(-o ControlMaster=auto -o ControlPath="$work/ssh/control" -o ControlPersist=60)
check_logins over_ssh "$user" login shared
ssh -F none -o ControlPath="$work/ssh/control" -O exit "$user@127.0.0.1" 2>/dev/null
connection=()

name=ssh-without-pam
port=$(free_port $((port + 1)))
start_sshd /usr/sbin/sshd "$port" no
check_logins over_ssh root $(inherited root)
check_logins over_ssh "$user" $(inherited "$user")

name=pam-with-keyinit
pam_service skr-environments-keyinit 'session optional pam_keyinit.so force revoke'
port=$(free_port $((port + 1)))
start_sshd "$work/ssh/skr-environments-keyinit" "$port" yes
check_logins over_ssh "$user" login apart

name=pam-without-keyinit
pam_service skr-environments-plain ''
port=$(free_port $((port + 1)))
start_sshd "$work/ssh/skr-environments-plain" "$port" yes
check_logins over_ssh "$user" $(inherited "$user")
row 'sshd with `UsePAM no`, or PAM without `pam_keyinit`' "all of the user's processes without a session" 'the machine restarts' 'see *No session keyring*'
