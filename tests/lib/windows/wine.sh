# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by what runs in Wine.

export WINEPREFIX=${WINEPREFIX:-/wine} WINEARCH=win64 WINEDEBUG=-all DISPLAY=

# make_prefix [COMMAND...]: Windows' folders and registry in $WINEPREFIX, of the user that the command makes, unless they are
# there whole.
make_prefix() {
    [ ! -e "$WINEPREFIX/.complete" ] || return 0
    rm -rf "$WINEPREFIX"
    mkdir "$WINEPREFIX"
    [ $# -eq 0 ] || chown nobody "$WINEPREFIX"
    "$@" wine wineboot -i >/dev/null 2>&1 </dev/null || { echo "Wine cannot make $WINEPREFIX" >&2; return 1; }
    "$@" wineserver -w
    : >"$WINEPREFIX/.complete"
}

# start_wine [COMMAND...]: Wine's server and services once, for all that follows, as the user that the command makes. To start
# them takes longer than most of what is run; those that are there already would end too early, and those that the first
# program starts would hold its output open.
start_wine() {
    "$@" wineserver -k || true
    "$@" wineserver -p86400
    "$@" wine cmd /c exit >/dev/null 2>&1 </dev/null
}

# test_files: this repository's files of tests that ask tshark or sharkd, the largest first, that the last ones are short. The
# other rooms are for Linux alone: they want windows, sanitizers, costs or the scripts.
test_files() {
    ls -S tests/*/test_*.py | grep -vE '^tests/(bench|browser|checks|docs|gui|hardening|install)/'
}
