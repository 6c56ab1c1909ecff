# SPDX-License-Identifier: GPL-2.0-or-later
"""cmake --install and the target uninstall: as a user, as root, with DESTDIR; the profile, the man page, the version."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from lib.captures import CAPTURES, REPOSITORY
from lib.manual import pages
from lib.some import some
from lib.tshark import UNPRIVILEGED, Tshark

VERSION = (REPOSITORY / "plugin" / "VERSION").read_text(encoding="utf-8").strip()
PROFILE = {path.name for path in (REPOSITORY / "plugin" / "packaging" / "profile").iterdir()}
# A poll of both APIs, and what the profile's columns show of it.
BOTH = CAPTURES / "both-apis.pcapng"


def run(*command, env=None, **options):
    result = subprocess.run(
        [*map(str, command)], env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, **options,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def files_in(folder):
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if not path.is_dir()}


def folders_in(folder):
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_dir()}


def of_others(folders):
    """Those without our name, which may have been there before."""
    return {folder for folder in folders if "perflib" not in folder}


def folders_of(build):
    """Where root's installation goes: (plugins, profiles)."""
    text = (build / "packaging" / "install.cmake").read_text(encoding="utf-8")
    return [re.search(rf'set\({name} "(/[^"]*)"\)', text)[1] for name in ("plugins", "profiles")]


@pytest.fixture
def user():
    """Environment of a user with an empty home folder, all of whose path that user may enter."""
    folder = tempfile.mkdtemp(prefix="perflib-home-")
    os.chmod(folder, 0o777)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("WIRESHARK_", "XDG_"))}
    environment.update(HOME=folder, LC_ALL="C.UTF-8", TZ="UTC")
    yield environment
    shutil.rmtree(folder)


def as_user(user, *command):
    result = subprocess.run([UNPRIVILEGED, *map(str, command)], env=user, stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def has_plugin(listing):
    """Whether tshark -G plugins has the plugin, in the version of plugin/VERSION."""
    rows = [line.split("\t") for line in listing.splitlines() if line.startswith("perflib.so")]
    assert {row[1] for row in rows} <= {VERSION}
    return len(rows) == 1


def test_user_installs_into_the_home_folder(build, user):
    home = Path(user["HOME"])
    before = as_user(user, "tshark", "-G", "plugins")
    as_user(user, "cmake", "--install", build)
    api = next((build / "plugins").iterdir()).name
    assert files_in(home) == {
        f".local/lib/wireshark/plugins/{api}/epan/perflib.so",
        ".local/bin/perflib-openmetrics",
        ".local/share/man/man7/perflib.7.gz",
        *(f".config/wireshark/profiles/perflib/{name}" for name in PROFILE),
    }
    assert not has_plugin(before)
    assert has_plugin(as_user(user, "tshark", "-G", "plugins"))
    # The profile as a user has it who chooses it.
    rows = as_user(user, "tshark", "-C", "perflib", "-2", "-r", BOTH, "-Y", "perflibv2.path || perfdata.path").splitlines()
    assert len(rows) == 8
    assert re.search(r" QueryCounterData response, .* PerflibV2 1 \d+\.\d+ processor 77\.000 %$", rows[2])
    assert re.search(r" QueryValue response, .* PerfData 238 \d+\.\d+ processor_old 77\.000 %$", rows[3])

    # What the user changed stays, whoever installs or uninstalls.
    changed = home / ".config/wireshark/profiles/perflib/perflibv2_watch"
    changed.write_text('"mine","*\\x5cThreads"\n', encoding="utf-8")
    as_user(user, "cmake", "--install", build)
    assert "mine" in changed.read_text(encoding="utf-8")
    folders = folders_in(home)
    as_user(user, "cmake", "--build", build, "--target", "uninstall")
    assert files_in(home) == {str(changed.relative_to(home))}
    assert folders_in(home) == of_others(folders) | {str(changed.parent.relative_to(home))}
    changed.unlink()
    as_user(user, "cmake", "--install", build)
    as_user(user, "cmake", "--build", build, "--target", "uninstall")
    assert not files_in(home)
    assert folders_in(home) == of_others(folders) and ".local/bin" in of_others(folders)
    assert not has_plugin(as_user(user, "tshark", "-G", "plugins"))


def test_destdir_holds_all_that_is_installed(build, tmp_path):
    """As packagers do: the system's folders below another root, whoever installs."""
    plugins, profiles = folders_of(build)
    environment = {"DESTDIR": str(tmp_path)}
    run("cmake", "--install", build, "--prefix", "/usr", env=environment)
    doc = "usr/share/doc/wireshark-perflib"
    captures = {f"{doc}/captures/{path.name}" for pattern in ("*.pcapng", "*.keytab") for path in CAPTURES.glob(pattern)}
    pictures = {f"{doc}/captures/pictures/{path.name}" for path in (CAPTURES / "pictures").glob("*.png")}
    # Every page but those of the tests.
    installed = {f"{doc}/{path.relative_to(REPOSITORY)}" for folder in ("", "plugin", "plugin/manual", "captures")
                 for path in (REPOSITORY / folder).glob("*.md")}
    installed |= {f"{doc}/{path.relative_to(REPOSITORY)}" for path in (CAPTURES / "truth").iterdir()}
    assert {f"{doc}/README.md", f"{doc}/plugin/perflib.md", f"{doc}/plugin/manual/window.md"} <= installed
    assert files_in(tmp_path) == {
        f"{plugins[1:]}/perflib.so", "usr/bin/perflib-openmetrics", "usr/share/man/man7/perflib.7.gz", f"{doc}/copyright", f"{doc}/changelog.Debian.gz",
        *(f"{profiles[1:]}/perflib/{name}" for name in PROFILE), *captures, *pictures, *installed,
    }
    # The pages' links lead to what was installed, too.
    links = [(page, target.partition("#")[0]) for page in sorted(installed) if page.endswith(".md")
             for target in re.findall(r"\]\(([^)\s]+)\)", (tmp_path / page).read_text(encoding="utf-8")) if "://" not in target]
    assert len(links) > 50
    assert [link for link in links if not (tmp_path / link[0]).parent.joinpath(link[1]).exists()] == []
    folders = folders_in(tmp_path)
    assert f"{doc}/captures/pictures" in folders
    script = build / "packaging" / "uninstall.cmake"
    run("cmake", "-DCMAKE_INSTALL_PREFIX=/usr", "-P", script, env=environment)
    assert files_in(tmp_path) == set()
    assert folders_in(tmp_path) == of_others(folders)


def test_root_installs_into_the_systems_folders(build, tmp_path):
    """
    In the system's own folders, but in a name space where they are empty and go away again: which a user may make where the
    kernel gives users name spaces, and root where no container forbids it.
    """
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", tmp_path], capture_output=True, check=False).returncode != 0:
        pytest.skip("no mount name space can be made here")
    plugins, profiles = folders_of(build)
    script = tmp_path / "script"
    script.write_text(f"""set -eu
mkdir -p {plugins} {profiles}
for folder in {plugins} {profiles} /usr/local; do mount -t tmpfs tmpfs $folder; done
mkdir /usr/local/bin
cmake --install {build} >/dev/null
find {plugins} {profiles} /usr/local -type f
echo ---
tshark -G plugins 2>/dev/null
tshark -C perflib -2 -r {BOTH} -Y perflibv2.watch.processor -T fields -e perflibv2.watch.processor 2>/dev/null
echo ---
cmake --build {build} --target uninstall >/dev/null
find {plugins} {profiles} /usr/local -type f -o -name '*perflib*'
test -d /usr/local/bin
tshark -G plugins 2>/dev/null | grep perflib || true
""", encoding="utf-8")
    installed, shown, left = run(*unshare, "bash", script, env={"HOME": str(tmp_path)}).split("---\n")
    assert {f"{plugins}/perflib.so", f"{profiles}/perflib/preferences", "/usr/local/share/man/man7/perflib.7.gz",
            "/usr/local/bin/perflib-openmetrics",
            "/usr/local/share/doc/wireshark-perflib/captures/tcp-session.pcapng"} <= set(installed.splitlines())
    assert has_plugin(shown)
    assert shown.splitlines()[-3:] == ["77", "46", "15"]
    assert not left


def test_a_plugin_of_another_wireshark(tshark, folder):
    """What Wireshark says of it stands in the manual, for who searches for that line."""
    (plugin,) = tshark.plugins.glob("*/epan/perflib.so")
    copy = folder / plugin.parent.parent.name / "epan" / "perflib.so"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(re.sub(rb"libwireshark\.so\.\d\d\0", b"libwireshark.so.99\0", plugin.read_bytes()))
    said = Tshark(folder, tshark.home).started_anew("-v").stderr.decode()
    (line,) = re.findall(r"libwireshark\.so\.99: .*", said)
    page = (REPOSITORY / "plugin" / "manual" / "install.md").read_text(encoding="utf-8")
    assert line.replace(".99", ".18") in page


def test_the_manuals_recipe_builds_no_tests(tmp_path):
    run("cmake", "-S", REPOSITORY, "-B", tmp_path / "build")
    targets = run("cmake", "--build", tmp_path / "build", "--target", "help")
    assert "perflib" in targets and "man" in targets
    assert "unit-" not in targets and "floor" not in targets
    assert not (tmp_path / "build" / "tests").exists()


def test_man_page_holds_every_page_without_its_marks(build):
    page = gzip.decompress((build / "packaging" / "perflib.7.gz").read_bytes()).decode()
    assert page.startswith('.TH PERFLIB 7 "" "perflib ' + VERSION + '"')
    for path in some(pages()):
        heading = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        assert path.name == "perflib.md" or f'.SH "{heading.upper()}"' in page.replace("\\-", "-")
    # Nothing of the manual's own marks is left, and nothing is taken for a request.
    for line in page.splitlines():
        assert re.match(r"\.(TH|SH|SS|PP|TP|IP|RS|RE|EX|EE|BR|nh)\b", line) or not line.startswith((".", "'")), line
        assert not re.search(r"\]\(|^\||`|\*\*", line), line
    warnings = subprocess.run(["groff", "-man", "-Tutf8", "-K", "utf8", "-ww", "-z"], input=page, capture_output=True, text=True,
                              check=True).stderr
    assert not warnings


def test_version_stands_in_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    newest = re.search(r"^## (\S+), \d{4}-\d\d-\d\d$", (REPOSITORY / "plugin" / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest[1] == VERSION
    for name in ("CMakeLists.txt", "plugin/CMakeLists.txt", "plugin/packaging/CMakeLists.txt", "plugin/plugin.c"):
        assert VERSION not in (REPOSITORY / name).read_text(encoding="utf-8"), name
