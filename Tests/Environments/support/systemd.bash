# Makes a Debian with systemd, and runs scenarios in a copy of it that systemd-boot boots.

# The folder with systemd-boot.
lab=${SKR_KERNEL_LAB:-../shared/kernel-lab}
# The Debian, as debootstrap made it. Each run boots a copy.
debian=.build/debian
debian_packages=(
    systemd systemd-sysv dbus dbus-user-session libpam-systemd keyutils util-linux login procps
    openssh-server openssh-client sudo cron tmux zsh fish
)

install_boot_tools() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap systemd-container >/dev/null
}

# Makes the Debian, if it does not exist and something can boot it.
make_debian() {
    [ -x "$lab/systemd-boot" ] || return 0
    command -v debootstrap >/dev/null && command -v systemd-nspawn >/dev/null || install_boot_tools
    [ "$(cat "$debian/packages" 2>/dev/null)" != "${debian_packages[*]}" ] || return 0
    rm -rf "$debian" "$debian.part"
    mkdir -p .build
    debootstrap --variant=minbase --include="$(IFS=,; echo "${debian_packages[*]}")" bookworm "$PWD/$debian.part" >"$debian.log" 2>&1 ||
        { tail -n 20 "$debian.log"; return 1; }
    echo "${debian_packages[*]}" >"$debian.part/packages"
    rm -rf "$debian.part"/var/cache/apt/archives/*.deb
    mv "$debian.part" "$debian"
}

# copy_debian FOLDER: makes a copy of the Debian, which can be changed.
copy_debian() { make_debian && cp -a --reflink=auto "$debian" "$1"; }

# page_block LANGUAGE FILE: prints the first block of that language in a page's section about one session.
page_block() { awk -v start='```'"$1" '/^## One session/ { on = 1 } is && $0 == "```" { exit } is { print } on && $0 == start { is = 1 }' "$2"; }

# page_rows: prints the rows of the page's table, sorted.
page_rows() { sed -n '/^| You use/,/^$/p' "$page" | grep '^|' | tail -n +3 | sort; }

# run_booted: boots a copy of the Debian, prints the checks of its scenarios, and counts them.
run_booted() {
    local root=$work/debian kind
    copy_debian "$root" || { check "debootstrap makes a Debian" false; return; }
    cp -r "$scenarios" "$root/root/environments"
    for kind in sh fish; do page_block "$kind" "$page" >"$root/root/environments/lines.$kind"; done
    grep -o '\[ -n "$SKR_SESSION"[^`]*' "$page" >"$root/root/environments/lines.guard"
    grep -o '; and not contains -- "$SKR_SESSION"[^`]*' "$page" >"$root/root/environments/lines.fish-guard"
    SYSTEMD_BOOT_ROOT=$root "$lab/systemd-boot" "$scenarios/support/inside" "$skr" "$secrets" >"$work/booted" 2>&1
    sed '/^exit [0-9]*$/d' "$work/booted"
    passed=$((passed + $(grep -c '^ok - ' "$work/booted")))
    failed=$((failed + $(grep -c '^not ok - ' "$work/booted")))
    grep '^| ' "$work/booted" >>"$work/rows"
    name=systemd
    check "the scenarios ran to the end" grep -qx 'exit 0' "$work/booted"
}
