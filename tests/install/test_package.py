# SPDX-License-Identifier: GPL-2.0-or-later
"""What cpack makes: the Debian package and the tarball. tests/package installs, upgrades and removes it."""

import re
import subprocess
import tarfile

import pytest

from lib.captures import REPOSITORY
from lib.some import some

VERSION = (REPOSITORY / "plugin" / "VERSION").read_text(encoding="utf-8").strip()


def cpack(build, config, folder, *options):
    subprocess.run(["cpack", "--config", build / config, "-B", folder, *options], check=True, capture_output=True, cwd=folder)


@pytest.fixture(scope="module")
def package(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    # What is in it counts here; xz takes most of the time, and a make of all, which is not done for Ninja.
    cpack(build, "CPackConfig.cmake", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", "-D", "CPACK_CMAKE_GENERATOR=Ninja")
    (package,) = folder.glob("*.deb")
    return package


def dpkg_deb(*arguments):
    return subprocess.run(["dpkg-deb", *arguments], capture_output=True, text=True, check=True).stdout


def test_fields_of_the_package(package, tshark):
    api = next(tshark.plugins.iterdir()).name
    fields = dict(line.split(": ", 1) for line in dpkg_deb("-f", package).splitlines() if re.match(r"\w[\w-]*: ", line))
    assert fields["Package"] == "wireshark-perflib"
    assert fields["Version"] == f"{VERSION}-1+ws{api}"
    # The one library it works with, and that from the version that has what it uses.
    (plugin,) = tshark.plugins.glob("*/epan/perflib.so")
    needed = re.search(r"libwireshark\.so\.(\d+)", subprocess.run(["objdump", "-p", plugin], capture_output=True, text=True,
                                                                  check=True).stdout)[1]
    assert re.search(rf"\blibwireshark{needed}(t64)? \(>= ", fields["Depends"])
    assert "wireshark" in fields["Recommends"]


def test_files_of_the_package(package):
    rows = [line.split(None, 5) for line in dpkg_deb("-c", package).splitlines()]
    for mode, owner, *_, name in rows:
        assert owner == "root/root", name
        assert mode == ("drwxr-xr-x" if name.endswith("/") else "-rwxr-xr-x" if "/bin/" in name else "-rw-r--r--"), name
    names = {name for *_, name in rows}
    for wanted in ("share/man/man7/perflib.7.gz", "share/wireshark/profiles/perflib/colorfilters",
                   "share/wireshark/profiles/perflib/preferences", "share/doc/wireshark-perflib/plugin/perflib.md",
                   "share/doc/wireshark-perflib/captures/tcp-session.pcapng", "share/doc/wireshark-perflib/copyright",
                   "share/doc/wireshark-perflib/changelog.Debian.gz", "bin/perflib-openmetrics"):
        assert f"./usr/{wanted}" in names
    (plugin,) = [name for name in names if name.endswith("/epan/perflib.so")]
    assert "/wireshark/plugins/" in plugin


def test_plugin_of_the_package_is_hardened(package, tmp_path):
    subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    (plugin,) = tmp_path.glob("usr/lib/**/perflib.so")
    told = subprocess.run(["readelf", "--wide", "--dynamic", "--program-headers", "--dyn-syms", plugin], capture_output=True, text=True,
                          check=True).stdout
    assert re.search(r"\(FLAGS\) .*BIND_NOW", told) and re.search(r"\(FLAGS_1\) .*NOW", told)
    assert "GNU_RELRO" in told
    assert "__stack_chk_fail" in told
    # Of the calls whose buffer's size the compiler knows, at least one is a checked one.
    assert re.search(r" __(?!stack)\w+_chk@", told)


def test_flags_are_the_systems(build, tmp_path):
    """All that dpkg-buildflags asks for where the package is built: on newer systems than this more than here."""
    tool = tmp_path / "dpkg-buildflags"
    tool.write_text("""#!/bin/sh
case $2 in
CFLAGS) echo "-g -O2 -fstack-protector-strong -fstack-clash-protection -Wformat -Werror=format-security -fcf-protection" ;;
CPPFLAGS) echo "-D_FORTIFY_SOURCE=2" ;;
LDFLAGS) echo "-Wl,-z,relro -Wl,-z,now -Wl,-z,pack-relative-relocs" ;;
esac
""", encoding="utf-8")
    tool.chmod(0o755)
    subprocess.run(["cmake", "-S", REPOSITORY, "-B", tmp_path / "build", "-G", "Unix Makefiles", f"-DPERFLIB_dpkg_buildflags={tool}"],
                   check=True, capture_output=True)
    folder = tmp_path / "build" / "plugin" / "CMakeFiles" / "perflib.dir"
    assert {"-fstack-clash-protection", "-fcf-protection", "-fstack-protector-strong", "-Werror=format-security",
            "-D_FORTIFY_SOURCE=2"} <= set((folder / "flags.make").read_text(encoding="utf-8").split())
    assert {"-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,pack-relative-relocs"} <= set((folder / "link.txt").read_text(encoding="utf-8").split())


def test_tarball_holds_what_is_under_version_control(build, tmp_path):
    """All that is under version control, below one folder, and nothing that was built."""
    # xz here, too.
    assert 'set(CPACK_GENERATOR "TXZ")' in (build / "CPackSourceConfig.cmake").read_text(encoding="utf-8").splitlines()
    cpack(build, "CPackSourceConfig.cmake", tmp_path, "-G", "TGZ")
    (path,) = tmp_path.glob("*.tar.*")
    assert path.name == f"perflib-{VERSION}.tar.gz"
    with tarfile.open(path) as tar:
        names = {member.name for member in tar if not member.isdir()}
    assert {name.split("/")[0] for name in names} == {f"perflib-{VERSION}"}
    names = {name.split("/", 1)[1] for name in names}
    assert {"README.md", "CMakeLists.txt", "plugin/plugin.c", "captures/tcp-session.pcapng", "tests/run"} <= names
    built = re.compile(r"(^|/)(\.git|__pycache__|_CPack_Packages)(/|$)|\.(o|so|pyc|deb|xz)$|CMakeCache")
    assert not [name for name in names if built.search(name)]
    if (REPOSITORY / ".git").exists():
        known = subprocess.run(["git", "-c", "safe.directory=*", "-C", REPOSITORY, "ls-files", "-z"], capture_output=True,
                               text=True, check=True).stdout.split("\0")
        assert {name for name in some(known, len(names)) if name and (REPOSITORY / name).exists()} <= names
