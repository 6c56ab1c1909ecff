# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by captures/decode, tests/run and the other commands of this
# repository: Debian's packages and the build.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# What the plugin needs to be built and run.
build_packages=(cmake gcc libc6-dev libjs-dygraphs libwireshark-dev make tshark wireshark-dev)

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# quietly COMMAND...: runs it, shows its output only if it fails.
quietly() {
    local output status=0
    output=$("$@" 2>&1 </dev/null) || status=$?
    if [ "$status" -ne 0 ]; then
        printf '%s\n' "$output" >&2
    fi
    return "$status"
}

# apt_error OUTPUT: why apt failed, in parentheses: its last "E:" line, of what may be hundreds of others.
apt_error() {
    local last
    last=$(grep '^E:' <<<"$1" | tail -n 1) || true
    if grep -qE 'Failed to fetch|Could not (resolve|connect)|Unable to (fetch|locate)' <<<"$1"; then
        last="${last:+$last; }no network?"
    fi
    printf '(%s)' "${last:-apt says nothing}"
}

# install_packages NAME...: installs what is missing from Debian. The package
# lists are fetched only if the packages can't be installed with what is there,
# and nothing touches the network when nothing is missing.
install_packages() {
    local missing=() package as_root=() known said
    # shellcheck disable=SC2016 # ${Package} is dpkg-query's, not the shell's
    known=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null) || true
    for package in "$@"; do
        if [[ $'\n'$known$'\n' != *$'\n'"$package installed"$'\n'* ]]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        die "please install: ${missing[*]}"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        # Asked once, here; without its leave nothing that follows would work.
        command -v sudo >/dev/null && sudo -v ||
            die "as root, please run: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
               -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    echo "Installing from Debian: ${missing[*]}" >&2
    "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >/dev/null 2>&1 && return
    said=$({ "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } 2>&1 </dev/null) ||
        die "could not install: ${missing[*]} $(apt_error "$said")"
}

# unpack_package NAME FOLDER: the files of a Debian package below a folder, unless they are there: of one that is not to be
# installed, as it would start a service. Fails, and says why, where it can't be fetched.
unpack_package() {
    local package=$1 folder=$2 said
    if [ -e "$folder/.$package" ]; then
        return
    fi
    command -v apt-get >/dev/null || die "please get Debian's package $package, and unpack it to $folder"
    rm -rf "$folder/download"
    mkdir -p "$folder/download"
    echo "Fetching from Debian: $package" >&2
    said=$({
        cd "$folder/download"
        apt-get -q download "$package" >/dev/null 2>&1 && exit
        as_root=()
        [ "$(id -u)" -eq 0 ] || as_root=(sudo)
        "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update && apt-get -q download "$package"
    } 2>&1 </dev/null) && quietly dpkg-deb --extract "$folder/download/$package"_*.deb "$folder" || {
        echo "could not fetch: $package $(apt_error "$said")" >&2
        return 1
    }
    rm -rf "$folder/download"
    touch "$folder/.$package"
}

# Where to build: build/ in the clone if the clone is ours, else (read-only, or
# another user's, where root would leave files behind) a cache folder.
build_folder() {
    local folder=$repository/build cache
    if [ -n "${PERFLIB_BUILD:-}" ]; then
        folder=$PERFLIB_BUILD
    elif [ ! -O "$repository" ] || [ ! -w "$repository" ] || { [ -e "$folder" ] && [ ! -O "$folder" ]; }; then
        cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
        if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
            cache=${TMPDIR:-/tmp}/perflib-$(id -u)
            mkdir -p -m 700 "$cache"
            [ -O "$cache" ] || die "$cache belongs to somebody else"
        fi
        folder=$cache/perflib/$(cksum <<<"$repository" | cut -d' ' -f1)
    fi
    mkdir -p "$folder" || die "can't make $folder"
    (cd "$folder" && pwd -P)
}

# build FOLDER TARGET [CMAKE OPTION...]: builds what is not up to date. The fresh
# plugin (target perflib) is then FOLDER/plugins/X.Y/epan/perflib.so.
build() {
    local folder=$1 target=$2
    shift 2
    (
        flock 9
        if [ -e "$folder/CMakeCache.txt" ]; then
            if ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$folder" "$folder/CMakeCache.txt"; then
                # A folder copied or moved along with its clone can't be used again.
                rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
            elif ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$repository" "$folder/CMakeCache.txt"; then
                echo "$folder was made for another clone than $repository" >&2
                exit 1
            fi
        fi
        if [ ! -e "$folder/CMakeCache.txt" ] || [ $# -gt 0 ]; then
            quietly cmake -S "$repository" -B "$folder" "$@" || exit 1
        fi
        quietly cmake --build "$folder" --target "$target" --parallel "$(nproc)"
    ) 9>"$folder/.lock" || die "the build in $folder failed"
}
