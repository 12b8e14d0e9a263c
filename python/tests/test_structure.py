"""Python modules and C headers refer to each other without circles, and Java packages stay small."""

import ast
import re
import unittest
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from support import PYTHON_FOLDER, REPOSITORY

MOST_TYPES = 40
LARGE_PACKAGES = {"io/inferscope/analyzer/rules"}


def imports(folder, package):
    """Module -> the modules of the package that it imports, inside functions too. A package's name means its __init__."""
    modules = {}
    for path in sorted((folder / package).rglob("*.py")):
        names = [package, *path.relative_to(folder / package).with_suffix("").parts]
        modules[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return {name: {found for found in imported(name, path, modules) if found != name} for name, path in modules.items()}


def imported(name, path, modules):
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                of_module = "%s.%s" % (source, alias.name)
                yield from [of_module] if of_module in modules else [source] if source in modules else []


def includes(folder):
    """Header or source -> the files of the folder that it includes."""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in (".c", ".h")]
    names = {path.name for path in paths}
    return {path.name: names & set(re.findall(r'#include "(.*?)"', path.read_text(encoding="utf-8"))) for path in paths}


def circle(uses):
    """The names of one circle; empty if there is none."""
    done = set()

    def search(name, way):
        if name in way:
            return way[way.index(name) :] + [name]
        if name in done:
            return []
        for used in sorted(uses[name]):
            found = search(used, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    return next(filter(None, (search(name, []) for name in sorted(uses))), [])


def outside_package(folder):
    """The Java sources that do not lie in the folder of their package: Maven takes them for not compiled, and compiles all anew each time."""
    for path in sorted(folder.glob("**/src/*/java/**/*.java")):
        package = re.search(r"^package ([\w.]+);", path.read_text(encoding="utf-8"), re.MULTILINE)
        if package and not path.parent.as_posix().endswith("/java/" + package[1].replace(".", "/")):
            yield path.name


class StructureTest(unittest.TestCase):
    def test_python_modules_form_no_import_circle(self):
        uses = imports(PYTHON_FOLDER, "inferscope")
        self.assertGreater(len(uses), 50)
        self.assertGreater(sum(map(len, uses.values())), 100)
        self.assertEqual([], circle(uses))

    def test_c_files_form_no_include_circle(self):
        for folder in ("native/agent", "native/shapes", "native/stubs"):
            uses = includes(REPOSITORY / folder)
            self.assertGreater(sum(map(len, uses.values())), 3, folder)
            self.assertEqual([], circle(uses))

    def test_only_the_rules_fill_a_large_java_package(self):
        sources = [path for path in REPOSITORY.glob("inferscope-*/src/main/java/**/*.java") if path.stem not in ("package-info", "module-info")]
        types = Counter(str(path.parent).split("/main/java/")[1] for path in sources)
        self.assertGreater(len(types), 50)
        self.assertLessEqual({package for package, count in types.items() if count > MOST_TYPES}, LARGE_PACKAGES)

    def test_java_sources_lie_in_the_folder_of_their_package(self):
        self.assertEqual([], [name for module in REPOSITORY.glob("inferscope-*") for name in outside_package(module)])
        with TemporaryDirectory() as folder:
            sources = Path(folder, "src/test/java/own/part")
            sources.mkdir(parents=True)
            Path(sources, "Here.java").write_text("package own.part;\n")
            Path(sources, "Elsewhere.java").write_text("package own.other;\n")
            self.assertEqual(["Elsewhere.java"], list(outside_package(Path(folder))))

    def test_circles_are_found(self):
        with TemporaryDirectory() as folder:
            package = Path(folder, "own")
            package.mkdir()
            Path(package, "__init__.py").write_text("")
            Path(package, "one.py").write_text("from . import two\n")
            Path(package, "two.py").write_text("def late():\n    from own.one import name\n")
            Path(package, "one.h").write_text('#include "two.h"\n')
            Path(package, "two.h").write_text('#include "one.h"\n')
            self.assertEqual(["own.one", "own.two", "own.one"], circle(imports(Path(folder), "own")))
            self.assertEqual(["one.h", "two.h", "one.h"], circle(includes(package)))
