"""Rewrites the jars of a tree (tree.sh) for its package: ``jars.py TREE``.

Entries are stored, not compressed: a package compresses whole jars better than jars compress their entries. Left out are native libraries
that lie in ``native``, unpacked, or are for other systems, and the classes of some libraries that no class of InferScope can reach.
"""

import io
import re
import struct
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

# Libraries of other systems, and those of SQLite, JNA and the terminal, which lie in native/, unpacked, or are not used.
UNUSED = (
    "org/sqlite/native/*",
    "com/sun/jna/*.so", "com/sun/jna/*.dll", "com/sun/jna/*.jnilib", "com/sun/jna/*.a",
    "org/jline/nativ/Windows/*", "org/jline/nativ/Mac/*", "org/jline/nativ/FreeBSD/*", "org/jline/nativ/Linux/*",
)

# Libraries of which InferScope uses a part. None of them makes a class's name at run time, and no native code looks for their classes:
# look for both before one is added.
SHRUNK = (
    "aircompressor", "commons-compress", "commons-io", "commons-lang3", "jts-core", "mcp-core", "parquet-column", "protobuf-java",
    "snakeyaml-engine", "xz",
)

NAME = re.compile(r"[\w$]+(?:[./][\w$]+)+")
IN_DESCRIPTOR = re.compile(r"L([\w$/]+)[;<]")
OF_VERSION = re.compile(r"META-INF/versions/\d+/")
BYTES_OF_CONSTANT = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def class_of(entry):
    """The class that an entry of a jar defines, such as ``java/lang/String``, or None."""
    return OF_VERSION.sub("", entry)[:-len(".class")] if entry.endswith(".class") else None


def texts(data):
    """The texts in the constant pool of a class file (Java Virtual Machine Specification, 4.4): names, descriptors, literals."""
    count, = struct.unpack_from(">H", data, 8)
    at, number = 10, 1
    while number < count:
        tag = data[at]
        if tag == 1:
            length, = struct.unpack_from(">H", data, at + 1)
            yield data[at + 3:at + 3 + length].decode("utf-8", "replace")
            at += 3 + length
        else:
            at += 1 + BYTES_OF_CONSTANT[tag]
        number += 2 if tag in (5, 6) else 1


def names(text):
    """Everything in a text that may be a class's name: with dots, with slashes, or in a descriptor or signature."""
    for found in NAME.findall(text):
        name = found.replace(".", "/")
        yield name
        yield name[1:]
    yield from IN_DESCRIPTOR.findall(text)  # Primitives may stand before the L, as in (ILxz/A;)V.


def reachable(jars):
    """The classes that those of InferScope, of unshrunk jars and of services name, or that others of these name."""
    defined, todo = {}, []
    for jar, entries in jars.items():
        for entry, data in entries.items():
            name = class_of(entry)
            if name:
                defined.setdefault(name, []).append(data)
                if not is_shrunk(jar):
                    todo.append(name)
            elif entry.startswith("META-INF/services/"):
                todo += [name for name in names(data.decode()) if name]
    seen = set()
    while todo:
        name = todo.pop()
        if name not in seen and name in defined:
            seen.add(name)
            todo += [other for data in defined[name] for text in texts(data) for other in names(text)]
    return seen


def is_shrunk(jar):
    return any(re.match(re.escape(library) + r"-\d", jar.name) for library in SHRUNK)


def read(jar):
    with zipfile.ZipFile(jar) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist() if not any(fnmatch(entry, pattern) for pattern in UNUSED)}


def write(jar, entries):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as archive:
        for entry, data in entries.items():
            archive.writestr(zipfile.ZipInfo(entry, (2026, 1, 1, 0, 0, 0)), data)
    jar.write_bytes(stored.getvalue())


def main(tree):
    jars = {jar: read(jar) for jar in sorted(Path(tree, "lib").rglob("*.jar"))}
    used = reachable(jars)
    for jar, entries in jars.items():
        unused = [entry for entry in entries if is_shrunk(jar) and class_of(entry) and class_of(entry) not in used]
        for entry in unused:
            if not entry.endswith(("module-info.class", "package-info.class")):
                del entries[entry]
        write(jar, entries)


if __name__ == "__main__":
    main(*sys.argv[1:])
