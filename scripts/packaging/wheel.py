"""Packs a tree (tree.sh) as a wheel: ``wheel.py TREE PYTHON VERSION MACHINE README FOLDER LIMIT``; prints the file's path.

A wheel of more than LIMIT bytes is an error, which lists what takes them.

The tree goes to ``share/inferscope`` of the environment and the launcher to its ``bin``, so that the command starts without Python; the
recorder goes where Python finds it, for ``scope`` and ``mark``. Names, times and order are fixed: the same tree gives the same bytes.
"""

import base64
import collections
import csv
import hashlib
import io
import os
import re
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

TIME = (2026, 1, 1, 0, 0, 0)

# Where shells look for completions below a prefix.
COMPLETIONS = {
    "inferscope": "bash-completion/completions/inferscope",
    "_inferscope": "zsh/site-functions/_inferscope",
    "inferscope.fish": "fish/vendor_completions.d/inferscope.fish",
}


# From how many compressed bytes on a file is a part of its own, and how many parts are listed.
LARGE, ROWS = 500_000, 30

# The old name for glibc 2.17, the only one that older versions of pip accept.
OLD_MINOR, OLD_NAME = 17, "manylinux2014"


def platform_of(tree, machine):
    """The platform of a tree: the newest version of glibc that its Java runtime requires.

    The recorders' libraries in ``native`` are optional: InferScope works without those that cannot be loaded.
    """
    programs = [str(file) for file in sorted((tree / "java").rglob("*")) if file.is_file() and is_program(file)]
    minor = OLD_MINOR
    if programs:
        asked = subprocess.run(["readelf", "--version-info", "--wide"] + programs, stdout=subprocess.PIPE, check=True, text=True).stdout
        minor = max([minor] + [int(found) for found in re.findall(r"Name: GLIBC_2\.(\d+)", asked)])
    return "%s_%s" % (OLD_NAME if minor == OLD_MINOR else "manylinux_2_%d" % minor, machine)


def is_program(file):
    with open(file, "rb") as start:
        return start.read(4) == b"\x7fELF"


def python_version(maven_version):
    return maven_version.replace("-SNAPSHOT", ".dev0")


def metadata(project, version, readme):
    lines = [
        "Metadata-Version: 2.1",
        "Name: " + project["name"],
        "Version: " + version,
        "Summary: " + project["description"],
        "License: " + project["license"]["text"],
        "Requires-Python: " + project["requires-python"],
    ]
    lines += ["Requires-Dist: " + one for one in project["dependencies"]]
    for extra, packages in project.get("optional-dependencies", {}).items():
        lines.append("Provides-Extra: " + extra)
        lines += ['Requires-Dist: %s; extra == "%s"' % (one, extra) for one in packages]
    return "\n".join(lines + ["Description-Content-Type: text/markdown", "", readme])


def entry_points(project):
    groups = project.get("entry-points", {})
    return "".join("[%s]\n%s\n" % (group, "".join("%s = %s\n" % one for one in rows.items())) for group, rows in groups.items())


def contents(tree, python, project, version, platform, readme):
    """Returns the mode and the bytes of each file, by its name in the wheel."""
    name = "%s-%s" % (project["name"].replace("-", "_"), version)
    info = name + ".dist-info/"
    files = {}
    for file in sorted(tree.rglob("*")):
        if file.is_file():
            files[name + ".data/data/share/inferscope/" + str(file.relative_to(tree))] = (mode(file), file.read_bytes())
    for file in sorted((tree / "python" / "inferscope").rglob("*")):
        if file.is_file():
            files["inferscope/" + str(file.relative_to(tree / "python" / "inferscope"))] = (mode(file), file.read_bytes())
    for file, place in COMPLETIONS.items():
        path = tree / "completions" / file
        if path.is_file():
            files[name + ".data/data/share/" + place] = (0o644, path.read_bytes())
    for file in sorted(python.glob("*.pth")):
        files[file.name] = (0o644, file.read_bytes())
    files[name + ".data/scripts/inferscope"] = (0o755, (tree / "bin" / "inferscope").read_bytes())
    files[info + "entry_points.txt"] = (0o644, entry_points(project).encode())
    files[info + "METADATA"] = (0o644, metadata(project, version, readme).encode())
    wheel = "Wheel-Version: 1.0\nGenerator: inferscope\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % platform
    files[info + "WHEEL"] = (0o644, wheel.encode())
    files[info + "licenses/LICENSE"] = (0o644, (tree / "LICENSE").read_bytes())
    files[info + "RECORD"] = (0o644, record(files, info + "RECORD"))
    return name, files


def mode(file):
    return 0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644


def record(files, own):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, (_, data) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, "sha256=" + digest, len(data)])
    rows.writerow([own, "", ""])
    return text.getvalue().encode()


def parts(wheel):
    """The compressed bytes of each part of a wheel, the largest first: large files are parts of their own, others count for their folder."""
    sizes = collections.Counter()
    for entry in wheel.infolist():
        place = entry.filename.split("/share/inferscope/")[-1]
        sizes[place if entry.compress_size >= LARGE else place.rpartition("/")[0] or "."] += entry.compress_size
    return sizes.most_common()


def main(tree, python, maven_version, machine, readme, folder, limit):
    tree, python = Path(tree), Path(python)
    platform = platform_of(tree, machine)
    project = tomllib.loads((python / "pyproject.toml").read_text())["project"]
    version = python_version(maven_version)
    name, files = contents(tree, python, project, version, platform, Path(readme).read_text())
    path = Path(folder) / ("%s-py3-none-%s.whl" % (name, platform))
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for file, (permissions, data) in files.items():
            entry = zipfile.ZipInfo(file, TIME)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | permissions) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=9)
        sizes = parts(wheel)
    if part.stat().st_size > int(limit):
        size = part.stat().st_size
        part.unlink()
        rows = "".join("%12d  %s\n" % (taken, place) for place, taken in sizes[:ROWS])
        sys.exit("package: the wheel would have %d bytes, above %s; its largest parts, compressed:\n%s" % (size, limit, rows))
    os.replace(part, path)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
