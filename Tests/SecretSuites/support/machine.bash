# Prepares the machine for the suites, and cleans up after them.

packages=(dbus-daemon keyutils python3 python3-venv
    dpkg-dev meson ninja-build gcc pkg-config gettext libglib2.0-dev libgcrypt20-dev
    golang-go golang-dbus-dev)
# The users of the tests on a session bus. dbus-daemon refuses users that have no account.
users=(60801 60802 60803 60804 60805 60806)

install_suites() {
    local missing=() package
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
    is_current venv "$(<"$SUITES/requirements.txt")" || make_venv
    build_go
    unpack_libsecret
}

# is_current NAME WANTED: succeeds if NAME was installed for exactly WANTED.
is_current() { [ "$(cat "$installed/$1.for" 2>/dev/null)" = "$2" ]; }

# The packages of PyPI, and the source of SecretStorage, because only that has its tests.
make_venv() {
    local storage
    storage=$(grep '^SecretStorage==' "$SUITES/requirements.txt")
    rm -rf "$installed"/{venv,secretstorage}{,.for}
    /usr/bin/python3 -m venv "$installed/venv"
    "$installed/venv/bin/pip" install -q --disable-pip-version-check -r "$SUITES/requirements.txt"
    mkdir "$installed/secretstorage"
    (cd "$installed/secretstorage" &&
        "$installed/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: "$storage" &&
        tar -xf ./*.tar.gz --strip-components 1)
    cp "$SUITES/requirements.txt" "$installed/venv.for"
}

build_go() {
    local program
    mkdir -p "$installed/bin" "$installed/mock"
    for program in gokeyring mock; do
        GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$installed/go-cache" GOFLAGS='' \
            go build -o "$installed/bin/$program" "$SUITES/$program.go"
    done
    ln -sf ../bin/mock "$installed/mock/python3"
}

# Unpacks Debian's source of libsecret. The temporary configuration of apt leaves the machine's unchanged.
unpack_libsecret() {
    local codename apt=$work/apt
    [ ! -e "$installed/libsecret/meson.build" ] || return 0
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    rm -rf "$installed/libsecret"
    mkdir -p "$apt/lists/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
        "http://deb.debian.org/debian $codename main" >"$apt/sources.list"
    source_apt() {
        (cd "$apt" && apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::SourceList="$apt/sources.list" \
            -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" -o Dir::Cache::pkgcache= \
            -o Dir::Cache::srcpkgcache= "$@") >"$apt/log" 2>&1 || { cat "$apt/log" >&2; return 1; }
    }
    source_apt update
    source_apt source libsecret
    mv "$apt"/libsecret-*/ "$installed/libsecret"
}

add_users() {
    local user
    for user in "${users[@]}"; do
        id -u "skr-suite-$user" >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent \
            --no-user-group --gid nogroup --uid "$user" "skr-suite-$user" 2>/dev/null
    done
}

# Starts a suite in the background, with an empty home, its own session keyring and no session bus. All its processes
# are in one process group, which ends with this script, even if the script is killed.
start_suite() {
    local name=$1 root=$work/$1.d own
    own=$installed/bin:$(dirname "$skr"):$(dirname "$secrets")
    mkdir -p "$root/home" "$root/run"
    chmod 711 "$root"
    chmod 700 "$root/run"
    env -i --default-signal \
        NAME="$name" WORK="$root" HOME="$root/home" XDG_RUNTIME_DIR="$root/run" SUITES="$SUITES" CLIENTS="$CLIENTS" \
        INSTALLED="$installed" CLIENTS_LIST="$work/$name.clients" SUITE_USERS="${users[*]}" \
        PATH="$own:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        USER=root LOGNAME=root LC_ALL=C.UTF-8 TERM=dumb TZ=UTC \
        setsid setpriv --pdeathsig TERM timeout --kill-after=5 180 setpriv --pdeathsig KILL keyctl session - \
        bash "$SUITES/support/suite" >"$work/$name.checks" 2>"$work/$name.errors" </dev/null 9<&- &
    running+=($!)
}

# Keys that have expired, but are still listed, are left out.
own_keys() {
    local ring key
    for ring in @u @us; do for key in $(keyctl rlist $ring); do keyctl rdescribe "$key" || true; done; done 2>/dev/null | sort
}

restore() {
    set +e
    local group user
    for group in "${running[@]}"; do kill -KILL -- "-$group" 2>/dev/null; done
    wait 2>/dev/null
    for user in "${users[@]}"; do userdel -f "skr-suite-$user"; done 2>/dev/null
    rm -rf "$work"
}
