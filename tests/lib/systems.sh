# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by tests/matrix and tests/package, after setup.sh: the Debian systems with the versions of Wireshark.

declare -A suites=([4.0]=bookworm [4.4]=trixie [4.6]=forky)

cache=${PERFLIB_MATRIX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/perflib/matrix}
mkdir -p "$cache"

# The mirror of Debian's main archive that apt uses here.
debian_mirror() {
    # shellcheck disable=SC2016 # the $() are apt-get's
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
        sed -n 's/^Debian //p' | sed -n '1p'
}

# inside SYSTEM COMMAND...: runs a command in one of the systems. All that it mounts and starts ends with it, also when it is
# killed.
inside() {
    local system=$1
    shift
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --propagation private --pid --kill-child bash -c '
        set -e
        # A root of its own, as a test that makes name spaces needs.
        mount --bind "$1" "$1"
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        # Not exec: the first process of a name space ignores most signals.
        chroot "$@"
    ' - "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CI="${CI:-}" \
        PERFLIB_TEST_SECONDS="${PERFLIB_TEST_SECONDS:-600}" "$@" </dev/null
}

# debootstrap_system SUITE SYSTEM PACKAGES: debootstrap's minimal system and packages beside, unless it is there.
debootstrap_system() {
    local suite=$1 system=$2 mirror script=()
    if [ -e "$system/.complete" ]; then
        return
    fi
    mirror=$(debian_mirror)
    if [ -z "$mirror" ]; then
        echo "apt knows no mirror of Debian"
        return 1
    fi
    # Debian 12's debootstrap does not know forky by name.
    if [ ! -e "/usr/share/debootstrap/scripts/$suite" ]; then
        script=(/usr/share/debootstrap/scripts/sid)
    fi
    rm -rf "$system"
    # A mirror that does not answer is a failure, too.
    if ! timeout --kill-after=10 1200 debootstrap --variant=minbase --include="$3" "$suite" "$system" "$mirror" "${script[@]}" \
        >"$cache/$suite.log" 2>&1; then
        echo "debootstrap failed: $(grep '^E:' "$cache/$suite.log" | tail -1 | cut -c1-100)"
        return 1
    fi
    # The same way to the mirror as here, and its snapshot may be an old one.
    apt-config dump | grep -iE '^Acquire::(http|https)::.*proxy' >"$system/etc/apt/apt.conf.d/90mirror" || true
    echo 'Acquire::Check-Valid-Until "false";' >>"$system/etc/apt/apt.conf.d/90mirror"
    # What is lost if the machine stops is made again.
    echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/90fast"
    : >"$system/.complete"
}

# make_system SUITE: the system that all tests run in, plus git, as on a fresh machine; it keeps what they install.
make_system() {
    debootstrap_system "$1" "$cache/$1" ca-certificates,git
}

# make_minimal SUITE: one that stays as it is.
make_minimal() {
    debootstrap_system "$1" "$cache/$1-minimal" ca-certificates
}

# copy_repository SYSTEM: the files as they are now, not only what is committed.
# All get the time of now: what is built there from another copy may be newer than a file that was changed before.
copy_repository() {
    local target=$1/root/perflib
    rm -rf "$target"
    mkdir -p "$target"
    tar -C "$repository" --exclude=./build --exclude=./.git --exclude=__pycache__ -cf - . | tar -C "$target" -xmf -
}

# make_windows: the system in which programs for Windows are made and run: Debian 13, with the sources of Debian 13 and
# the packages of forky at hand.
# One at a time uses it.
windows=$cache/windows
make_windows() {
    local suite
    exec {windows_lock}>"$cache/windows.lock"
    if ! flock -n "$windows_lock"; then
        echo "Waiting for another that uses $windows ..." >&2
        flock "$windows_lock"
    fi
    debootstrap_system trixie "$windows" ca-certificates || return
    if [ -e "$windows/.windows" ]; then
        return
    fi
    for suite in trixie forky; do
        echo "deb $(debian_mirror) $suite main"
        echo "deb-src $(debian_mirror) $suite main"
    done >"$windows/etc/apt/sources.list"
    echo 'APT::Default-Release "trixie";' >"$windows/etc/apt/apt.conf.d/91release"
    inside "$windows" sh -ec 'apt-get -q update
        DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends cmake gcc gcc-mingw-w64-ucrt64 \
            libglib2.0-dev mingw-w64-tools ninja-build pkgconf python3 python3-markdown' >"$cache/windows.log" 2>&1 || return
    : >"$windows/.windows"
}

# inside_windows COMMAND...: of the repository.
inside_windows() {
    local command=$1
    shift
    inside "$windows" "/root/perflib/$command" "$@" {windows_lock}>&-
}
