"""The imports of the package and the includes of what is in C, read from the sources: no module may depend on itself through others."""

import ast
import pathlib
import re
import tempfile
import textwrap
import unittest

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent


def imports(folder, package):
    """Module -> modules of the same package that it imports, anywhere in its source: inside functions as well."""
    files = {}
    for path in sorted((folder / package).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: _imports_of(name, path, files) for name, path in files.items()}


def _imports_of(name, path, known):
    found = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(filter(None, (base, node.module)))
            submodules = {"%s.%s" % (origin, alias.name) for alias in node.names} & known.keys()
            found.update(submodules or {origin})
    return found & known.keys() - {name}


def includes(folder):
    """Module -> modules of the same folder that it includes. A module is a source with its header."""
    graph = {}
    for path in sorted(folder.glob("*.[ch]")):
        found = re.findall(r'^#include "(\w+)\.h"', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        graph.setdefault(path.stem, set()).update(found)
    return {name: found - {name} for name, found in graph.items()}


def circles(graph):
    """Groups of modules that import each other, each sorted: those that reach themselves, grouped by what they reach."""
    reached = {start: _reached(graph, start) for start in graph}
    groups = {tuple(sorted(other for other in reached[one] if one in reached[other])) for one in graph if one in reached[one]}
    return sorted(groups)


def _reached(graph, start):
    reached, waiting = set(), [start]
    while waiting:
        for other in graph[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    return reached


class ImportsTest(unittest.TestCase):
    def test_no_modules_import_each_other(self):
        graph = imports(PYTHON_FOLDER, "inferscope")
        self.assertIn("inferscope._recorder", graph["inferscope._hook"])
        self.assertEqual([], circles(graph))

    def test_no_sources_in_c_include_each_other(self):
        for folder in ("agent", "shapes"):
            graph = includes(PYTHON_FOLDER.parent / "native" / folder)
            self.assertTrue(any(graph.values()))
            self.assertEqual([], circles(graph))

    def test_a_circle_of_headers_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, source in (("a.c", '#include "a.h"\n#include "b.h"\n'), ("a.h", ""), ("b.h", ""), ("b.c", '#include "c.h"\n'), ("c.h", '#include "a.h"\n')):
                (folder / path).write_text(source)
            self.assertEqual([("a", "b", "c")], circles(includes(folder)))

    def test_a_circle_through_a_function_and_a_package_is_found(self):
        sources = {
            "p/__init__.py": "", "p/a.py": "from . import b", "p/b.py": "def f():\n    from .q.c import x", "p/q/__init__.py": "",
            "p/q/c.py": "import json\nfrom .. import a", "p/d.py": "from .a import y\nfrom p import b",
        }
        with tempfile.TemporaryDirectory() as name:
            for path, source in sources.items():
                path = pathlib.Path(name) / path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(textwrap.dedent(source), encoding="utf-8")
            graph = imports(pathlib.Path(name), "p")
        self.assertEqual({"p.a", "p.b"}, graph["p.d"])
        self.assertEqual([("p.a", "p.b", "p.q.c")], circles(graph))
